import { listRunLinks } from '../../../core/runs/history/list-run-links.ts'
import { SkillsError } from '../../../errors.ts'
import { formatChainName, type ChainName } from '../../../fleet/audit/chain-name.ts'
import type { EpochAnchor } from '../../../fleet/audit/fleet-audit-report.ts'
import { verifyFleetAudit } from '../../../fleet/audit/verify-fleet-audit.ts'
import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import { getListOption, type CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { hearNodes } from '../hear-nodes.ts'
import { useFleetEngine } from '../open-fleet.ts'
import { openRecordReader } from '../runs/record-reader.ts'
import { printVerification } from './print-verification.ts'

const EXIT_FINDINGS = 1

/** `skills fleet verify`; returns 1 if there are problems. */
export async function verifyFleet(context: Context, call: CommandLine): Promise<number> {
  const anchors = getListOption(call, 'anchor').map(readAnchor)
  return await useFleetEngine(context, call, async (fleet) => {
    const { engine } = fleet
    await checkAssets(engine)
    const { nodes } = await hearNodes(engine, context.signal)
    const running = new Set(nodes.map(formatChainName))
    const isRunning = (chain: ChainName) => running.has(formatChainName(chain))
    // Before the chains, which then have the beginning of each of these runs.
    const runs = await listRunLinks(openRecordReader(fleet))
    const report = await verifyFleetAudit(engine, { runs, anchors, isRunning })
    const isOk = report.problems.length === 0
    if (context.global.json) context.document('skills.fleet-audit/v1', { ok: isOk, ...report })
    else printVerification(context, report, isRunning)
    return isOk ? 0 : EXIT_FINDINGS
  })
}

function readAnchor(text: string): EpochAnchor {
  const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (number !== undefined && hash !== undefined) return { number: Number(number), hash }
  const message = `Expected a number, a colon and 64 hex digits for --anchor, got "${text}"`
  throw new SkillsError('usage/invalid', message, {
    hint: 'Use the text that "skills fleet verify" printed after "anchor"',
  })
}
