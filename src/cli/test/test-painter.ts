import type { TestReporterOptions } from '../../testing/report/test-reporter.ts'
import { resolveColorLevel, type Context } from '../context.ts'

/** Colours and width of standard output, for reporters. */
export function createTestPainter(context: Context): TestReporterOptions {
  const { style } = context
  const isPlain = resolveColorLevel(context, context.global, context.stdout) === 0
  const paints = {
    passed: style.green,
    failed: style.red,
    flaky: style.yellow,
    added: style.green,
    removed: style.red,
    dim: style.dim,
    bold: style.bold,
  }
  return {
    columns: context.columns,
    paint: (kind, text) => (isPlain ? text : paints[kind](text)),
  }
}
