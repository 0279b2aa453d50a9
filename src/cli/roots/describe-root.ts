import type { RootFacts } from '../../core/installing/roots/fetch-root.ts'
import type { RootSkill } from '../../core/installing/roots/prepare-root.ts'
import type { RootPin } from '../../core/config/roots/root-pins.ts'
import type { Capability } from '../../core/skills/manifest/capabilities.ts'
import { toPrintable } from '../../util/printable.ts'
import { describeCapability } from '../../core/skills/requirements/capability-text.ts'
import { formatPlural } from '../../util/quantity.ts'

const MAX_SKILLS = 200
const MAX_PROBLEMS = 10

/** Lines that a user reads before the consent. Texts of skills cannot control the terminal. */
export function describeRoot({ source, resolved, root, before, problems }: RootFacts): string {
  const { tree, skills, invalid } = root
  const isLong = skills.length > MAX_SKILLS
  const lines = [
    resolved === source ? source : `${source}, now ${resolved}`,
    `digest ${tree}`,
    formatPlural(skills.length, 'skill'),
    ...(before ? listChanges(skills, before) : []),
    ...skills.slice(0, MAX_SKILLS).flatMap((each) => describeRootSkill(each, before)),
    ...(isLong ? describeOthers(skills.slice(MAX_SKILLS), before) : []),
    ...invalid.slice(0, MAX_PROBLEMS).map(({ path, problem }) => `! "${path}": ${problem}`),
    ...(invalid.length > 0 ? [`! left out: ${formatPlural(invalid.length, 'folder')}`] : []),
    ...problems.slice(0, MAX_PROBLEMS).map((problem) => `! ${problem}`),
    ...(problems.length > MAX_PROBLEMS ? [`! ${problems.length} lint errors in total`] : []),
  ]
  const indent = (line: string) => (line.startsWith('  ') ? '  ' : '')
  return lines.map((line) => indent(line) + toPrintable(line)).join('\n')
}

function describeRootSkill({ path, skill }: RootSkill, before: RootPin | undefined): string[] {
  return [
    `${skill.name}@${skill.version}${path === '' ? '' : ` in ${path}`}`,
    ...skill.capabilities.map((each) => describeRight(skill.name, each, before)),
    ...skill.executables.map((file) => `  - executable file ${file}`),
  ]
}

function describeRight(
  name: string,
  { kind, value }: Capability,
  before: RootPin | undefined,
): string {
  const isNew = before && !before.capabilities.includes(`${name}: ${kind} ${value}`)
  return `  - ${describeCapability({ kind, value })}${isNew ? ' (new)' : ''}`
}

/** All rights are shown, also if there are too many skills to list each. */
function describeOthers(others: readonly RootSkill[], before: RootPin | undefined): string[] {
  const rights = others.flatMap(({ skill }) =>
    skill.capabilities.map((each) => describeRight(skill.name, each, before)),
  )
  return [`and ${formatPlural(others.length, 'further skill')}, with`, ...new Set(rights)]
}

function listChanges(skills: readonly RootSkill[], before: RootPin): string[] {
  const now = new Set(skills.map(({ skill }) => `${skill.name}@${skill.version}`))
  const then = new Set(before.skills.map(({ name, version }) => `${name}@${version}`))
  return [
    `replaces ${before.resolved}`,
    ...[...now].filter((each) => !then.has(each)).map((each) => `  + ${each}`),
    ...[...then].filter((each) => !now.has(each)).map((each) => `  - ${each} is removed`),
  ]
}
