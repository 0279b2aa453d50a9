import type { Services } from '../../services.ts'
import type { ListNodesResult } from './definition.ts'

/** `list_nodes`: reports the engine and the nodes of the fleet. */
export async function listNodes({
  describeFleet,
}: Pick<Services, 'describeFleet'>): Promise<ListNodesResult> {
  return { fleet: (await describeFleet()) ?? null }
}
