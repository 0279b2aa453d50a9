import { useState } from 'preact/hooks'

const SHOWN_MS = 2000

/** Copies a text. The label states the result, also for screen readers. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  text: string | (() => string)
  label?: string
}) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      setState('copied')
    } catch {
      setState('refused')
    }
    setTimeout(() => setState('ready'), SHOWN_MS)
  }
  const shown = { ready: label, copied: 'Copied', refused: 'The browser refuses to copy' }[state]
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{shown}</span>
    </button>
  )
}
