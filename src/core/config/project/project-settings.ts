import { SkillsError } from '../../../errors.ts'
import { readConfigFile, type FileValue } from '../config-file.ts'
import { mayProjectSet } from './may-project-set.ts'
import { TrustedProjects, type ProjectTrust } from './project-trust.ts'

/** Settings of a project's file that apply only if its user trusts the file. */
export interface ProjectSettings {
  file: string
  /** `sha256:<hex>` of the text of the file. */
  digest: string
  trust: ProjectTrust
  settings: readonly { key: string; value: unknown; place: string }[]
}

interface ProjectReading {
  /** Folder of the project. */
  dir: string
  /** Folder of the user's configuration. */
  userDir: string
  /** Returns a value without the project's file. */
  readBefore: (key: string) => unknown
  refuse: (problem: SkillsError) => void
}

/** Reads a project's file, and separates what needs the trust of the user. */
export function readProjectSettings(
  file: string,
  { dir, userDir, readBefore, refuse }: ProjectReading,
): { obeyed: readonly FileValue[]; needTrust: ProjectSettings | undefined } {
  const { values, digest } = readConfigFile(file, { onProblem: refuse })
  const [own, ofUser] = partition(values, ({ key }) => key.setBy !== 'user')
  for (const { key, place } of ofUser) refuse(projectSettingError(key.key, place))
  const [free, bound] = partition(own, (each) =>
    mayProjectSet(each, { dir, before: readBefore(each.key.key) }),
  )
  if (bound.length === 0) return { obeyed: free, needTrust: undefined }
  const trust = readTrust(userDir, { file, digest, refuse })
  const settings = bound.map(({ key, value, place }) => ({ key: key.key, value, place }))
  return {
    obeyed: trust === 'trusted' ? own : free,
    needTrust: { file, digest, trust, settings },
  }
}

function readTrust(
  userDir: string,
  { file, digest, refuse }: { file: string; digest: string } & Pick<ProjectReading, 'refuse'>,
): ProjectTrust {
  try {
    return new TrustedProjects(userDir).read(file, digest)
  } catch (thrown) {
    if (!(thrown instanceof SkillsError)) throw thrown
    refuse(thrown)
    return 'none'
  }
}

function partition<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))]
}

function projectSettingError(key: string, place: string): SkillsError {
  const message = `${place}: "${key}" is only allowed in the user's configuration, not in a project's`
  return new SkillsError('config/invalid', message, {
    hint: 'Move it to ~/.config/skills/config.toml',
  })
}
