import { resolveColorLevel, type Context } from './context.ts'

/** Colours of reports; none for a file, and none where standard output has none. */
export function createPainter(context: Context, toFile = false) {
  const { red, green, yellow, cyan, dim, bold, underline } = context.style
  const isPlain = toFile || resolveColorLevel(context, context.global, context.stdout) === 0
  const states = { passed: green, failed: red, flaky: yellow, added: green, removed: red }
  const paints = { error: red, warning: yellow, info: cyan, ...states, dim, bold, underline }
  return (kind: keyof typeof paints, text: string) => (isPlain ? text : paints[kind](text))
}
