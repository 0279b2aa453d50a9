import { HeadAndTail } from '../outputs/head-and-tail.ts'
import type { OutputView, OutputViewOptions } from '../outputs/output-view.ts'

/** What is shown of an output by its first and last lines. */
export function openOutputView({ mode, maxLines }: OutputViewOptions): OutputView {
  const head = Math.floor(maxLines / 2)
  const views = {
    stdout: new HeadAndTail({ head, tail: maxLines - head }),
    stderr: new HeadAndTail({ head: 0, tail: Math.floor(maxLines / 4) }),
  }
  return {
    push: (stream, chunk) => views[stream].push(chunk),
    end() {
      const { stdout, stderr } = views
      const out = stdout.end()
      const isShown = mode === 'summary'
      const gap = out.omitted > 0 ? [`... (${out.omitted} lines omitted) ...`] : []
      return {
        stdoutSummary: isShown ? [...out.head, ...gap, ...out.tail].join('\n') : '',
        stderrSummary: isShown ? stderr.end().tail.join('\n') : '',
        outputLines: stdout.lines + stderr.lines,
        outputBytes: stdout.bytes + stderr.bytes,
      }
    },
  }
}
