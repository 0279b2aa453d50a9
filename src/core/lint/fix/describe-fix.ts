import { createUnifiedDiff } from '../../../util/unified-diff.ts'
import type { Finding } from '../finding.ts'
import type { LintedSkill } from '../rule.ts'
import { maskChange } from '../secrets/mask-secrets.ts'
import { applyEdits, createOverlay } from './apply-edits.ts'

/** Characters of a diff; a fix of many lines says how much is left out. */
const MAX_CHARACTERS = 20_000

/** The change by the fix of a finding, as a unified diff; undefined if it has no fix. */
export function describeFix(
  finding: Pick<Finding, 'edits'>,
  source: Pick<LintedSkill, 'read'>,
): string | undefined {
  if (finding.edits.length === 0) return undefined
  const overlay = createOverlay()
  applyEdits([finding as Finding], source, overlay)
  const parts = [
    ...[...overlay.texts].map(([path, text]) => {
      const { before, after } = maskChange({ path, before: source.read(path), after: text })
      return createUnifiedDiff(path, before, after)
    }),
    ...[...overlay.modes].map(([file, mode]) => `chmod ${mode.toString(8)} ${file}`),
    ...[...overlay.deleted].map((file) => `delete ${file}`),
  ]
  const diff = parts.join('\n')
  if (diff.length <= MAX_CHARACTERS) return diff
  return `${diff.slice(0, MAX_CHARACTERS)}\n… ${diff.length - MAX_CHARACTERS} more characters`
}
