import { SkillsError } from '../../errors.ts'
import type { NodeState } from '../../fleet/messages/node-state.ts'
import { findNearest } from '../../util/find-nearest.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { hearNodes } from './hear-nodes.ts'
import type { OpenFleet } from './open-fleet.ts'

/** Finds the node that a command line names, by its heartbeat. */
export async function findNode(
  { signal }: Context,
  { args, ...call }: CommandLine,
  { engine, servers }: OpenFleet,
): Promise<NodeState> {
  const [name = ''] = args
  const role = getTextOption({ args, ...call }, 'role')
  const { nodes } = await hearNodes(engine, signal)
  const candidates = nodes.filter((node) => role === undefined || node.role === role)
  const [found, other] = candidates.filter(({ node }) => node === name)
  if (found && other) {
    throw new SkillsError('usage/invalid', `A worker and a front have the name "${name}"`, {
      hint: 'Add --role worker, or --role front',
    })
  }
  if (found) return found
  const noun = role ?? 'node'
  const guess = findNearest(
    name,
    candidates.map(({ node }) => node),
  )
  throw new SkillsError('usage/invalid', `No ${noun} with the name "${name}" was heard`, {
    hint: guess
      ? `Did you mean "${guess}"?`
      : `Type "skills fleet nodes --fleet ${servers}" to see the nodes`,
  })
}
