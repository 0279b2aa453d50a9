import { listRunRecords } from '../../../core/runs/history/list-run-links.ts'
import { formatChainName, type ChainName } from '../../../fleet/audit/chain-name.ts'
import { verifyFleetAudit } from '../../../fleet/audit/verify-fleet-audit.ts'
import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import { readAnchors } from '../../audit/read-anchors.ts'
import type { CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { hearNodes } from '../hear-nodes.ts'
import { useFleetEngine } from '../open-fleet.ts'
import { openRecordReader } from '../runs/record-reader.ts'
import { printVerification } from './print-verification.ts'

const EXIT_FINDINGS = 1

/** `skills fleet verify`; returns 1 if there are problems. */
export async function verifyFleet(context: Context, call: CommandLine): Promise<number> {
  const anchors = readAnchors(call, 'skills fleet verify')
  return await useFleetEngine(context, call, async (fleet) => {
    const { engine } = fleet
    await checkAssets(engine)
    const { nodes } = await hearNodes(engine, context.signal)
    const running = new Set(nodes.map(formatChainName))
    const isRunning = (chain: ChainName) => running.has(formatChainName(chain))
    // Before the chains, which then have the beginning of each of these runs.
    const runs = await listRunRecords(openRecordReader(fleet), fleet.config.store.runs.ttlMs)
    const report = await verifyFleetAudit(engine, { runs, anchors, isRunning })
    const isOk = report.problems.length === 0
    if (context.global.json) context.document('skills.fleet-audit/v1', { ok: isOk, ...report })
    else printVerification(context, report, isRunning)
    return isOk ? 0 : EXIT_FINDINGS
  })
}
