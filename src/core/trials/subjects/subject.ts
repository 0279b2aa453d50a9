/** Program that starts a subject; the sandbox has it, or the subject is not run. */
export type SubjectProgram = 'python3' | 'node' | 'bash' | 'ruby' | 'perl'

/** A command line of a subject: a program of the sandbox and its arguments. */
export interface SubjectCommand {
  program: SubjectProgram
  args: readonly string[]
}

/** A part of a skill that is run. */
export interface Subject {
  /** Unique in the skill: a path, `SKILL.md:12` for an example, or `entry point`. */
  name: string
  /** Path in the skill. */
  file: string
  line?: number | undefined
  /** Text from which triggers are guessed. */
  text: string
  /** Command lines with different arguments, the most likely first. */
  commands: readonly SubjectCommand[]
}

/** Places of a trial inside of the sandbox. */
export const HOME_FOLDER = '/home/dev'
export const HOOKS_FOLDER = '/srv/hooks'
export const LOG_FOLDER = '/srv/log'
/** Folder below the home that has the skills. */
export const SKILLS_FOLDER = '.claude/skills'
