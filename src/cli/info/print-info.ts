import { describeVetting } from '../install/describe-consent.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatBytes } from '../../util/quantity.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { Context } from '../context.ts'
import { describeCapability } from '../../core/skills/requirements/capability-text.ts'
import { describeAttestations, toJsonAttestation } from '../signing/attestation-view.ts'
import { formatPlural } from '../../util/quantity.ts'
import { formatTable } from '../ui/table.ts'
import type { SkillInfo } from './read-info.ts'

const MAX_PROBLEMS = 10

/** Prints facts about a skill. Its texts cannot control the terminal. */
export function printInfo(context: Context, info: SkillInfo): void {
  if (context.global.json) context.document('skills.info/v1', toInfoDocument(info))
  else printFacts(context, info)
}

function toInfoDocument(info: SkillInfo): object {
  const { skill, installed, tokens, sizes, problems, signers, signature } = info
  return {
    name: skill.name,
    version: skill.version,
    description: info.description,
    source: info.source,
    resolved: info.resolved,
    tree: skill.tree,
    archive: info.archive ?? null,
    signers,
    signature,
    attestations: info.attestations.map(toJsonAttestation),
    refusal: info.refusal ?? null,
    yanked: info.yanked ?? null,
    capabilities: skill.capabilities.map(({ kind, value }) => ({ kind, value })),
    executables: skill.executables,
    sizes,
    tokens: tokens
      ? { overview: tokens.overview, body: tokens.body, docs: tokens.docs, total: tokens.total }
      : null,
    vet: info.vetting
      ? { verdict: info.vetting.verdict, findings: info.vetting.findings.length }
      : null,
    reach: info.reach,
    problems,
    installed: installed
      ? {
          version: installed.skill.version,
          tree: installed.skill.tree,
          signers: installed.skill.signers,
          changed: installed.changes.changed,
          added: installed.changes.extra,
          removed: installed.changes.missing,
        }
      : null,
  }
}

function printFacts(context: Context, info: SkillInfo): void {
  const { skill, sizes, tokens } = info
  const rows = [
    ['skill', `${skill.name}@${skill.version}`],
    ['about', info.description],
    ['source', info.source],
    ...(info.resolved === info.source ? [] : [['now', info.resolved]]),
    ['digest', skill.tree],
    ['signature', describeSignature(info)],
    ...describeAttestations(info.attestations).map((text, at) => [
      at === 0 ? 'attested' : '',
      text,
    ]),
    ...(info.yanked === undefined ? [] : [['withdrawn', info.yanked]]),
    [
      'size',
      `${formatPlural(sizes.files, 'file')}, ${formatBytes(sizes.bytes)}, packed ${formatBytes(sizes.packed)}`,
    ],
    ...(tokens
      ? [['tokens', `overview ${tokens.overview}, body ${tokens.body}, docs ${tokens.docs}`]]
      : []),
    ...(info.vetting ? describeVetting(info.vetting) : []).map((text, at) => [
      at === 0 ? 'vet' : '',
      text.replace(/^(?:vet:|!) /, ''),
    ]),
    ...listRights(info).map((text, at) => [at === 0 ? 'rights' : '', text]),
    ['installed', describeInstalled(info)],
    ...listProblems(info).map((text, at) => [at === 0 ? 'problems' : '', text]),
  ].map((row) => row.map(toPrintable))
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [context.style.dim] }))
  if (info.installed?.skill.tree !== skill.tree) {
    context.note(`Type "skills install ${quoteShellWord(toPrintable(info.source))}" to install it`)
  }
}

function describeSignature({ signature, refusal }: SkillInfo): string {
  return refusal === undefined ? signature.text : `${signature.text}; refused: ${refusal}`
}

function listRights({ skill, reach }: SkillInfo): string[] {
  const rights = [
    ...skill.capabilities.map(describeCapability),
    ...reach,
    ...skill.executables.map((path) => `executable file ${path}`),
  ]
  return rights.length > 0 ? rights : ['none by its manifest']
}

function describeInstalled({ installed, skill }: SkillInfo): string {
  if (!installed) return 'no'
  const { version, tree, signers } = installed.skill
  if (tree === skill.tree) {
    return [
      `${version}, the same files`,
      ...(signers.length > 0 ? [`signed by ${signers.join(', ')} when they were installed`] : []),
    ].join(', ')
  }
  const { changed, extra, missing } = installed.changes
  return `${version}; ${formatPlural(changed.length, 'file')} changed, ${extra.length} added, ${missing.length} removed`
}

function listProblems({ problems, vetting }: SkillInfo): string[] {
  const hasOthers = (vetting?.findings.length ?? 0) > 0
  if (problems.length === 0) return [hasOthers ? 'lint found no others' : 'none found by lint']
  const rest = problems.length - MAX_PROBLEMS
  return [...problems.slice(0, MAX_PROBLEMS), ...(rest > 0 ? [`and ${rest} more`] : [])]
}
