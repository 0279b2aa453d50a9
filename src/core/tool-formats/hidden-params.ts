import type { Method } from '../methods/method.ts'

/** Parameters that are of use only with another tool. */
const PAIRED_TOOLS = { detach: 'runs', kernel: 'kernel' }

/** Parameters that models do not see: those of the caller, and those without their tool among the offered ones. */
export function listHiddenParams(
  { callerParams = [] }: Pick<Method, 'callerParams'>,
  offered?: ReadonlySet<string>,
): ReadonlySet<string> {
  const unusable = Object.entries(PAIRED_TOOLS).filter(([, tool]) => offered?.has(tool) === false)
  return new Set([...callerParams, ...unusable.map(([name]) => name)])
}
