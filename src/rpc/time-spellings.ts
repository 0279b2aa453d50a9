/** A time limit with its unit in the name. */
const TIME = /^timeout_?(?<unit>ms|milliseconds|s|secs?|seconds)$/i
const NAMES = ['timeout', 'timeout_ms', 'timeoutMs']

type Params = Readonly<Record<string, unknown>>

/**
 * Renames a time limit that is named as another method names it, and converts it to the unit of this
 * method: models use several methods side by side.
 */
export function respellTimes(input: Params, shape: Params): Params {
  const name = Object.keys(input).find((each) => TIME.test(each) && !Object.hasOwn(shape, each))
  const time = name === undefined ? undefined : input[name]
  if (name === undefined || typeof time !== 'number') return input
  const { [name]: _, ...rest } = input
  const isMs = TIME.exec(name)?.groups?.['unit']?.toLowerCase().startsWith('m') === true
  const ms = isMs ? time : Math.ceil(time * 1000)
  const own = NAMES.find((each) => Object.hasOwn(shape, each))
  if (own !== undefined) return { [own]: own === 'timeout' ? ms / 1000 : ms, ...rest }
  if (!Object.hasOwn(shape, 'limits')) return input
  return { ...rest, limits: { timeout_ms: ms, ...(rest['limits'] as Params | null | undefined) } }
}
