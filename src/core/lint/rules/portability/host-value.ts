import { createExampleMarkdown } from '../../example-skill.ts'
import type { HostProblem, HostDescription } from '../../profiles/host.ts'
import { SKILL_HOSTS } from '../../profiles/index.ts'
import { locateInOpenAiFile } from '../../profiles/openai-file.ts'
import type { LintedSkill, RawFinding, Rule } from '../../rule.ts'
import { getFrontMatter, locateInFrontMatter } from '../../skill-facts.ts'

export const HOST_VALUE: Rule = {
  id: 'portability/host-value',
  severity: 'error',
  what: 'A host of a requested profile refuses or ignores a value',
  why: 'The host does not load the skill, rejects its upload, or uses another value.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\ncontext: forked\n',
      ),
    },
    good: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\ncontext: fork\n',
      ),
    },
  },
  fix: 'Write a value that the host accepts.',
  check(skill, report) {
    const data = getFrontMatter(skill)
    if (!data) return
    for (const host of SKILL_HOSTS) {
      if (!skill.requestedProfiles.includes(host.profile)) continue
      for (const problem of listProblems(skill, host)) report(toHostFinding(skill, host, problem))
    }
  },
}

function listProblems(skill: LintedSkill, host: HostDescription): HostProblem[] {
  const data = getFrontMatter(skill) ?? {}
  const missing = host.required
    .filter((key) => data[key] === undefined || data[key] === null)
    .map((key): HostProblem => ({ path: [key], message: 'is missing', help: `Add ${key}` }))
  const refused = Object.entries(host.keys).flatMap(([key, check]): HostProblem[] => {
    const value = data[key]
    const problem = value === undefined || value === null ? undefined : check?.(value, skill)
    return problem ? [{ path: [key], ...problem }] : []
  })
  return [...missing, ...refused, ...(host.check?.(skill, data) ?? [])]
}

function toHostFinding(
  skill: LintedSkill,
  { title }: HostDescription,
  { path, what = 'value', file, message, help, severity }: HostProblem,
): RawFinding {
  const name = path.length === 0 ? 'the file' : path.join('.')
  const location =
    file === undefined
      ? locateInFrontMatter(skill, path, what)
      : { file, span: locateInOpenAiFile(skill, path, what) }
  const finding = {
    ...location,
    message: `${title}: ${name} ${message}`,
    help: help ?? 'Correct the value, or remove it',
  }
  return severity ? { ...finding, severity } : finding
}
