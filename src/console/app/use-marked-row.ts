import { useState } from 'preact/hooks'
import { useShortcuts, type Shortcut } from './shortcuts.ts'

interface MarkedRowOptions {
  count: number
  /** Noun for the labels of the keys, such as "skill". */
  noun: string
  /** Opens a row by its number. */
  open: (at: number) => void
  /** Further keys of the list. */
  keys?: readonly Shortcut[]
}

/** Marks a row of a list by `j` and `k`, and opens it by Enter. Returns the number of the row. */
export function useMarkedRow({ count, noun, open, keys = [] }: MarkedRowOptions): number {
  const [current, setCurrent] = useState(0)
  const move = (step: number) => setCurrent((at) => Math.max(0, Math.min(count - 1, at + step)))
  useShortcuts([
    { keys: 'j', label: `Next ${noun}`, run: () => move(1) },
    { keys: 'k', label: `Previous ${noun}`, run: () => move(-1) },
    { keys: 'Enter', label: `Open the marked ${noun}`, run: () => open(current) },
    ...keys,
  ])
  return current
}
