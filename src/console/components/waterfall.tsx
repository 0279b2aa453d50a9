import { formatMs } from '../models/durations.ts'
import { layOutPhases } from '../models/waterfall.ts'

interface WaterfallProps {
  phases: readonly { name: string; ms: number }[]
}

/** Phases of a run, one after the other. The numbers are text, so the bars are decoration. */
export function Waterfall({ phases }: WaterfallProps) {
  const { bars, totalMs } = layOutPhases(phases)
  if (bars.length === 0) return <p class="muted">The record of this run has no phases.</p>
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Phases of the run">
      <table class="waterfall">
        <caption>Phases, {formatMs(totalMs)} in all</caption>
        <tbody>
          {bars.map(({ name, label, ms, start, width }) => (
            <tr key={name}>
              <th scope="row" title={label}>
                {name}
              </th>
              <td class="number">{formatMs(ms)}</td>
              <td class="waterfall-label">{label}</td>
              <td aria-hidden="true" class="waterfall-bar">
                <svg viewBox="0 0 1000 10" preserveAspectRatio="none">
                  <rect x={1000 * start} width={Math.max(2, 1000 * width)} height="10" />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
