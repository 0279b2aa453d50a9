import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll } from 'vitest'
import { createGitRepository, type TestRepository } from '../../helpers/git-repository.ts'
import { createInstructionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createRemoteProject, type RemoteProject } from '../../helpers/remote-project.ts'
import { createFolder } from '../../helpers/skills.ts'

/** A project, and a server with the repository `owner/repo`, which has `greet` and `bye`. */
export interface LockProject extends RemoteProject {
  repository: TestRepository
  /** Variables of the project's commands, apart from the home folder. */
  env: Record<string, string>
  /** Writes skills-lock.json. */
  writeForeign(skills: object): void
  /** Copies a skill of the repository to where the other tool installs it. */
  placeSkill(name: string): string
}

export const GREET_FILES = { ...createInstructionSkill('demo.greet'), '.gitignore': '*.log\n' }

const TREE = {
  ...prefixPaths('skills/greet', GREET_FILES),
  ...prefixPaths('skills/bye', createInstructionSkill('demo.bye')),
}

let shared: TestRepository

/** Creates one repository for the tests of a file that do not change it: each call of git is a process. */
export function shareRepository(): void {
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'skills-test-'))
    shared = createGitRepository(TREE, { folder })
    return () => rmSync(folder, { recursive: true })
  })
}

export function createLockProject({ isChanged = false } = {}): LockProject {
  const repository = isChanged ? createGitRepository(TREE) : shared
  const owner = join(createFolder(), 'owner')
  symlinkSync(dirname(repository.gitDir), owner)
  const env = { SKILLS_GITHUB_URL: `file://${dirname(owner)}` }
  const project = createRemoteProject(env)
  return {
    ...project,
    env,
    repository,
    writeForeign: (skills) =>
      writeFileSync(
        join(project.cwd, 'skills-lock.json'),
        `${JSON.stringify({ version: 1, skills }, undefined, 2)}\n`,
      ),
    placeSkill(name) {
      const folder = join(project.skills, name)
      mkdirSync(project.skills, { recursive: true })
      cpSync(join(repository.work, 'skills', name), folder, { recursive: true })
      return folder
    },
  }
}

/** An entry of `owner/repo`, without a hash. */
export function createForeignEntry(name: string, more: object = {}): object {
  return {
    source: 'owner/repo',
    sourceType: 'github',
    skillPath: `skills/${name}/SKILL.md`,
    ...more,
  }
}

/** The skills of a JSON result, by name. */
export function readSkills(result: { stdout: string }): Record<string, Record<string, unknown>> {
  const { skills } = JSON.parse(result.stdout) as { skills: { name: string }[] }
  return Object.fromEntries(skills.map((each) => [each.name, each]))
}

export function readJson(file: string): Record<string, Record<string, Record<string, unknown>>> {
  return JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof readJson>
}
