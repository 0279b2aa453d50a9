import type { ProgressReport } from '../../core/runs/run-call.ts'
import { toPrintable } from '../../util/printable.ts'
import { measureWidth } from './text.ts'

const BAR_WIDTH = 20

/** Formats progress for one line; a narrow line drops the text, then the bar and the numbers. */
export function formatProgress(
  { done, total, message }: ProgressReport,
  { room, isUnicode }: { room: number; isUnicode: boolean },
): string {
  // Without any steps, all of them are complete.
  const share = total === 0 ? 1 : done / total
  const percent = `${Math.floor(share * 100)}%`
  const bar = formatBar(share, isUnicode)
  const steps = `${formatAmount(done)}/${formatAmount(total)}`
  const forms = [
    [bar, percent, steps, message === undefined ? '' : toPrintable(message)],
    [bar, percent, steps],
    [percent, steps],
    [percent],
  ]
  const texts = forms.map((parts) => parts.filter(Boolean).join(' '))
  return texts.find((text) => measureWidth(text) <= room) ?? ''
}

function formatBar(share: number, isUnicode: boolean): string {
  const filled = Math.floor(share * BAR_WIDTH)
  const [full, empty] = isUnicode ? ['█', '░'] : ['#', '-']
  return full.repeat(filled) + empty.repeat(BAR_WIDTH - filled)
}

function formatAmount(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1)
}
