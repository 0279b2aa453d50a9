import type { LintSkillResult } from '../../core/methods/lint-skill/definition.ts'
import { splitReference } from '../../core/skills/reference.ts'
import type { Finding } from '../../core/lint/finding.ts'
import type { LintResult } from '../../core/lint/lint.ts'
import type { CommandHandle } from '../access/command-handle.ts'
import { listRemoteSkills } from '../access/list-remote-skills.ts'
import type { LocalOptions } from '../access/remote-options.ts'

const WRITES = 'files are changed where they are'
const CONFIGURES = 'a remote runtime has its own configuration'

/** Options of lint that need the files, or the configuration, of this machine. */
export const LOCAL_LINT_OPTIONS: LocalOptions = {
  fix: ['--fix', WRITES],
  fixUnsafe: ['--fix-unsafe', WRITES],
  diff: ['--diff', WRITES],
  addSuppressions: ['--add-suppressions', WRITES],
  stdin: ['--stdin', 'a remote runtime checks the files that it has'],
  stdinFilename: ['--stdin-filename', 'a remote runtime checks the files that it has'],
  deleted: ['--deleted', 'local commits do not affect a remote runtime'],
  skipOutside: ['--skip-outside', 'skills of a remote runtime have names'],
  rule: ['--rule', CONFIGURES],
  select: ['--select', CONFIGURES],
  ignore: ['--ignore', CONFIGURES],
  profile: ['--profile', CONFIGURES],
  baseline: ['--baseline', CONFIGURES],
  writeBaseline: ['--write-baseline', CONFIGURES],
  updateBaseline: ['--update-baseline', CONFIGURES],
}

/** Result of a remote check, and the source of each file with a finding. */
export interface RemoteLint {
  result: LintResult
  readSource: (path: string) => string | undefined
}

/** Checks skills of a remote runtime, by name; all of them without names. */
// eslint-disable-next-line max-params -- the runtime, the skills, and whether their texts are shown
export async function lintRemote(
  remote: CommandHandle,
  references: readonly string[],
  showsSource: boolean,
): Promise<RemoteLint> {
  const names = references.length > 0 ? references : (await listRemoteSkills(remote)).references
  const findings: Finding[] = []
  const failures: LintResult['failures'][number][] = []
  const sources = new Map<string, string>()
  for (const reference of names) {
    const [name, version] = splitReference(reference)
    const skill = { name, ...(version !== undefined && { version }) }
    const found = await remote.call('lint_skill', skill)
    findings.push(...found.findings.map((finding) => toLocalFinding(reference, finding)))
    failures.push(
      ...found.failures.map(({ message }) => ({ path: reference, message, hint: undefined })),
    )
    const files = found.findings.flatMap(({ file, start }) => (start && showsSource ? [file] : []))
    for (const file of new Set(files)) {
      const read = await remote.call('read_skill_file', { ...skill, path: file })
      if (read.encoding === undefined) sources.set(`${reference}/${file}`, read.content)
    }
  }
  const readSource = (path: string) => sources.get(path)
  return { result: summarize(findings, failures, names.length), readSource }
}

function toLocalFinding(reference: string, finding: LintSkillResult['findings'][number]): Finding {
  const { start, end, help, related, fix, file, diff: _diff, ...rest } = finding
  return {
    ...rest,
    file,
    skill: reference,
    path: `${reference}/${file}`,
    start: start ?? undefined,
    end: end ?? undefined,
    help: help ?? undefined,
    fix: fix ?? undefined,
    related: related.map((each) => ({
      path: `${reference}/${each.file}`,
      start: each.start ?? undefined,
      message: each.message,
    })),
    edits: [],
  }
}

// eslint-disable-next-line max-params -- findings, failures and the number of skills
function summarize(
  findings: readonly Finding[],
  failures: LintResult['failures'],
  skills: number,
): LintResult {
  const count = (severity: Finding['severity']) =>
    findings.filter((each) => each.severity === severity).length
  return {
    findings,
    failures,
    skills,
    errors: count('error'),
    warnings: count('warning'),
    infos: count('info'),
    fixableSafe: findings.filter(({ fix }) => fix === 'safe').length,
    fixableUnsafe: findings.filter(({ fix }) => fix === 'unsafe').length,
    fixed: [],
    suppressed: [],
    newlySuppressed: 0,
    changes: [],
  }
}
