import { readToml } from '../skills/manifest/toml-source.ts'
import type { PlainObject, TomlSource } from '../skills/manifest/source.ts'
import { formatManifestValue } from '../skills/manifest/non-finite.ts'
import { parseApproval } from './parse-approval.ts'
import { parsePrograms } from './parse-programs.ts'
import type {
  ApprovalHook,
  PolicyFile,
  PolicyMatch,
  PolicyScope,
  ProgramNetwork,
} from './policy.ts'
import { APPROVAL_FIELDS, RULE_FIELDS, SCOPE_TABLES, WHEN_FIELDS } from './policy-fields.ts'
import { formatPolicyLocation, createPolicyError, type PolicyPath } from './policy-error.ts'
import { readPolicyTable } from './read-table.ts'

/** Content of one policy file. */
export interface ParsedPolicy {
  scopes: readonly PolicyScope[]
  programs: readonly ProgramNetwork[]
  approval: ApprovalHook | undefined
}

/** Source of a policy. Those of a project and of a fleet can only restrict. */
export type PolicyTrust = PolicyFile['trust'] | 'fleet'

const SCOPE_NAMES: Readonly<Record<PolicyTrust, string>> = {
  operator: 'the policy',
  project: "the project's policy",
  fleet: "the fleet's policy",
}

const TOP_LEVEL_KEYS = [...Object.keys(SCOPE_TABLES), 'rules', 'programs', 'approval', '$schema']

/** Parses a policy. Throws `policy/invalid` with the location of the first mistake. */
export function parsePolicy(file: string, text: string, trust: PolicyTrust): ParsedPolicy {
  const toml = readToml(file, text)
  if (toml.problem) {
    const { message } = toml.problem
    const sentence = message.charAt(0).toUpperCase() + message.slice(1)
    throw createPolicyError(toml, { path: [] }, { message: sentence })
  }
  readPolicyTable(toml, { path: [], fields: {}, inner: TOP_LEVEL_KEYS })
  const name = SCOPE_NAMES[trust]
  const locate = (...path: string[]) =>
    path.length === 0 ? file : formatPolicyLocation(toml, path)
  const own = { ...readScope(toml, []), name, locate, approve: false }
  const rules = readRules(toml).map((_, at) => readRule(toml, at))
  checkUniqueNames(toml, rules)
  const approval = parseApproval(
    toml,
    readPolicyTable(toml, { path: ['approval'], fields: APPROVAL_FIELDS }),
  )
  const programs = parsePrograms(toml)
  if (trust !== 'operator') {
    if (approval)
      throw createOperatorOnlyError(toml, name, { key: 'approval', table: '[approval]' })
    if (programs.length > 0)
      throw createOperatorOnlyError(toml, name, { key: 'programs', table: '[[programs]]' })
  }
  return { scopes: [own, ...rules], programs, approval }
}

/** Creates the error for a table that would widen what a project or a fleet may do. */
function createOperatorOnlyError(
  toml: TomlSource,
  policy: string,
  { key, table }: { key: string; table: string },
) {
  return createPolicyError(
    toml,
    { path: [key], what: 'key' },
    {
      message: `${policy.replace('the', 'A')} cannot set ${table}`,
      hint: `Move ${table} to the operator's policy; "skills policy explain" prints its path`,
    },
  )
}

function readRules(toml: TomlSource): readonly unknown[] {
  const { rules = [] } = toml.data
  if (Array.isArray(rules)) return rules
  const message = `"rules" is ${formatManifestValue(rules)}, expected a list of tables`
  throw createPolicyError(toml, { path: ['rules'] }, { message, hint: 'Write each as [[rules]]' })
}

function readScope(
  toml: TomlSource,
  path: PolicyPath,
): Pick<PolicyScope, 'allow' | 'deny' | 'limits' | 'require'> {
  const table = <Name extends keyof typeof SCOPE_TABLES>(name: Name) =>
    readPolicyTable(toml, { path: [...path, name], fields: SCOPE_TABLES[name] })
  const { timeout: timeoutMs, output: outputBytes } = table('limits')
  return {
    allow: table('allow'),
    deny: table('deny'),
    limits: { timeoutMs, outputBytes },
    require: table('require'),
  }
}

function readRule(toml: TomlSource, at: number): PolicyScope {
  const path = ['rules', at]
  const inner = [...Object.keys(SCOPE_TABLES), 'when']
  const {
    name,
    refuse,
    approve = false,
  } = readPolicyTable(toml, { path, fields: RULE_FIELDS, inner })
  if (name === undefined) {
    const message = 'The rule has no name'
    throw createPolicyError(
      toml,
      { path },
      { message, hint: 'Add name = "…": denials refer to it' },
    )
  }
  const rule = {
    ...readScope(toml, path),
    when: readWhen(toml, [...path, 'when']),
    name,
    refuse,
    approve,
  }
  if (!hasEffect(rule, toml.data['rules'] as PlainObject[], at)) {
    const message = `The rule "${name}" has no effect`
    const hint = 'Add allow, deny, limits, require, refuse or approve'
    throw createPolicyError(toml, { path }, { message, hint })
  }
  return { ...rule, locate: (...inside) => formatPolicyLocation(toml, [...path, ...inside]) }
}

function readWhen(toml: TomlSource, path: PolicyPath): PolicyMatch {
  const { longer_than: longerThanMs, ...lists } = readPolicyTable(toml, {
    path,
    fields: WHEN_FIELDS,
  })
  return { ...lists, longerThanMs }
}

function hasEffect(
  { refuse, approve }: Pick<PolicyScope, 'refuse' | 'approve'>,
  rules: readonly PlainObject[],
  at: number,
): boolean {
  const tables = Object.keys(SCOPE_TABLES).map((each) => rules[at]?.[each] ?? {})
  const settings = tables.flatMap((each) => Object.values(each as object) as unknown[])
  return approve || refuse !== undefined || settings.some((value) => value !== false)
}

function checkUniqueNames(toml: TomlSource, rules: readonly PolicyScope[]): void {
  const names = new Set<string>()
  for (const [at, { name }] of rules.entries()) {
    if (!names.has(name)) {
      names.add(name)
      continue
    }
    const message = `Two rules are named "${name}"`
    throw createPolicyError(toml, { path: ['rules', at, 'name'] }, { message })
  }
}
