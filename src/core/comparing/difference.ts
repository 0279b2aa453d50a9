import type { TextPosition } from '../../util/line-index.ts'
import type { TextHunk } from './text-hunks.ts'

/** Severities, lowest first. The first three are also steps of a version. */
export const DIFFERENCE_SEVERITIES = ['patch', 'minor', 'major', 'danger'] as const
export type DifferenceSeverity = (typeof DIFFERENCE_SEVERITIES)[number]

/** Classes in the order of reports: rights first. */
export const DIFFERENCE_CLASSES = [
  'hidden-text',
  'hosts',
  'file-rights',
  'secrets',
  'programs',
  'dependencies',
  'allowed-tools',
  'inputs',
  'result',
  'metadata',
  'instructions',
  'files',
] as const
export type DifferenceClass = (typeof DIFFERENCE_CLASSES)[number]

/** Every kind of difference with its severity. */
export const DIFFERENCE_CODES = {
  'hidden-text/bidirectional': 'danger',
  'hidden-text/invisible': 'danger',
  'hidden-text/control': 'danger',
  'hidden-text/mixed-scripts': 'danger',
  'hidden-text/lookalike-name': 'danger',
  'hosts/added': 'major',
  'hosts/removed': 'patch',
  'hosts/requested': 'major',
  'hosts/mentioned': 'minor',
  'file-rights/added': 'major',
  'file-rights/removed': 'patch',
  'file-rights/executable': 'major',
  'file-rights/not-executable': 'patch',
  'file-rights/special-bits': 'danger',
  'file-rights/link-outside': 'danger',
  'secrets/added': 'major',
  'secrets/removed': 'patch',
  'secrets/inside': 'major',
  'secrets/outside': 'patch',
  'secrets/sent-further': 'major',
  'secrets/sent-less': 'patch',
  'secrets/read': 'major',
  'secrets/literal': 'danger',
  'programs/executable-added': 'major',
  'programs/executable-removed': 'patch',
  'programs/binary-added': 'danger',
  'programs/binary-changed': 'danger',
  'programs/started': 'major',
  'programs/not-started': 'patch',
  'programs/hooks-changed': 'danger',
  'programs/dynamic-code': 'danger',
  'programs/language-changed': 'major',
  'programs/entrypoint-changed': 'patch',
  'dependencies/added': 'minor',
  'dependencies/removed': 'patch',
  'dependencies/raised': 'patch',
  'dependencies/raised-major': 'minor',
  'dependencies/lowered': 'minor',
  'dependencies/changed': 'minor',
  'dependencies/other-hashes': 'danger',
  'dependencies/install-script': 'danger',
  'dependencies/vendored-changed': 'major',
  'dependencies/fetched': 'major',
  'dependencies/fetched-unpinned': 'danger',
  'dependencies/remote-code': 'danger',
  'dependencies/no-longer-fetched': 'patch',
  'allowed-tools/added': 'major',
  'allowed-tools/removed': 'patch',
  'inputs/removed': 'major',
  'inputs/added-required': 'major',
  'inputs/added-optional': 'minor',
  'inputs/now-required': 'major',
  'inputs/now-optional': 'minor',
  'inputs/narrowed': 'major',
  'inputs/widened': 'minor',
  'inputs/default-changed': 'minor',
  'inputs/described': 'patch',
  'inputs/undeclared-refused': 'major',
  'inputs/undeclared-accepted': 'minor',
  'result/added': 'minor',
  'result/removed': 'major',
  'result/narrowed': 'minor',
  'result/widened': 'major',
  'result/described': 'patch',
  'metadata/name-changed': 'major',
  'metadata/kind-changed': 'major',
  'metadata/version-changed': 'patch',
  'metadata/version-lowered': 'major',
  'metadata/description-changed': 'minor',
  'metadata/license-changed': 'minor',
  'metadata/host-key-changed': 'minor',
  'metadata/key-changed': 'patch',
  'metadata/not-valid': 'major',
  'instructions/changed': 'minor',
  'instructions/added': 'minor',
  'instructions/removed': 'minor',
  'instructions/reflowed': 'patch',
  'files/added': 'patch',
  'files/changed': 'patch',
  'files/removed': 'minor',
  'files/renamed': 'patch',
  'files/type-changed': 'major',
} as const satisfies Record<`${DifferenceClass}/${string}`, DifferenceSeverity>

export type DifferenceCode = keyof typeof DIFFERENCE_CODES

/** A place in one of the two snapshots. */
export interface DifferencePlace {
  side: 'before' | 'after'
  path: string
  start?: TextPosition | undefined
  end?: TextPosition | undefined
}

/** A difference as an area of the comparison reports it. */
export interface RawDifference {
  code: DifferenceCode
  /** The host, name, path or package. */
  subject: string
  before?: string | undefined
  after?: string | undefined
  place?: DifferencePlace | undefined
  hunks?: readonly TextHunk[] | undefined
  /** Lines of the text that differ but are not listed in `hunks`. */
  linesLeftOut?: number | undefined
}

/** A difference between two snapshots of a skill. */
export interface SkillDifference extends RawDifference {
  class: DifferenceClass
  severity: DifferenceSeverity
}

/** Adds the class and the severity, which follow from the code. */
export function toDifference(raw: RawDifference): SkillDifference {
  const className = raw.code.slice(0, raw.code.indexOf('/')) as DifferenceClass
  return { class: className, severity: DIFFERENCE_CODES[raw.code], ...raw }
}

/** The highest severity; undefined without differences. */
export function findHighestSeverity(
  differences: readonly SkillDifference[],
): DifferenceSeverity | undefined {
  return DIFFERENCE_SEVERITIES.findLast((each) =>
    differences.some(({ severity }) => severity === each),
  )
}
