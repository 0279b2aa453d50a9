import { formatChainName, type ChainName } from '../../../fleet/audit/chain-name.ts'
import type { ChainReport, FleetAuditReport } from '../../../fleet/audit/fleet-audit-report.ts'
import { toPrintable } from '../../../util/printable.ts'
import type { Context } from '../../context.ts'
import { formatToSeconds } from '../../store/format-to-seconds.ts'
import { formatPlural } from '../../../util/quantity.ts'
import { formatTable } from '../../ui/table.ts'

type IsRunning = (chain: ChainName) => boolean

/** Prints each chain, the problems, and an anchor if there are none. */
export function printVerification(
  context: Context,
  report: FleetAuditReport,
  isRunning: IsRunning,
): void {
  const { style } = context
  const { problems, notes, epochs, records, chains } = report
  if (chains.length > 0) printChains(context, chains, isRunning)
  for (const { code, place, sentence } of problems) {
    const location = place === undefined ? '' : `${place}: `
    context.print(`${style.red(toPrintable(code))} ${toPrintable(location + sentence)}`)
  }
  for (const { sentence } of notes) context.note(toPrintable(sentence))
  const size = `${formatPlural(records, 'record')} in ${formatPlural(chains.length, 'chain')}, ${formatPlural(epochs.epochs, 'epoch')}`
  if (problems.length > 0) {
    context.print(`${style.red('not intact')} ${size}, ${formatPlural(problems.length, 'problem')}`)
    return
  }
  context.print(`${style.green('intact')} ${size}`)
  if (epochs.end) context.print(`anchor ${epochs.end.number}:${epochs.end.hash}`)
}

function printChains(context: Context, chains: readonly ChainReport[], isRunning: IsRunning): void {
  const { style } = context
  const rows = chains.map((chain) => [
    toPrintable(formatChainName(chain)),
    chain.isOk ? 'intact' : 'not intact',
    String(chain.records),
    formatTime(chain.first),
    formatTime(chain.last),
    describeChainEnd(chain, isRunning),
  ])
  const paintState = (text: string) =>
    text.startsWith('intact') ? style.green(text) : style.red(text)
  const table = formatTable(rows, {
    columns: context.stdout.isTTY === true ? context.columns : Infinity,
    head: ['CHAIN', 'STATE', 'RECORDS', 'FIRST', 'LAST', 'NODE'],
    paintHead: style.dim,
    paint: [style.cyan, paintState],
  })
  context.print(table)
}

function formatTime(time: string | null): string {
  return time === null ? '-' : toPrintable(formatToSeconds(time))
}

function describeChainEnd(chain: ChainReport, isRunning: IsRunning): string {
  if (isRunning(chain)) return 'running'
  return chain.hasLeft ? 'left' : 'ended'
}
