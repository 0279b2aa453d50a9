import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** A key that does something. Letters work only outside of fields, and can be switched off. */
export interface Shortcut {
  /** `k` with `isCommand` is Ctrl+K or ⌘K; `g s` is two keys after each other. */
  keys: string
  isCommand?: boolean
  label: string
  run: () => void
}

const STORAGE_KEY = 'skills.shortcuts'
const SEQUENCE_MS = 1500

export const shortcuts = signal<readonly Shortcut[]>([])
/** False if the reader switched single letters off, as programs of dictation need. */
export const areLettersOn = signal(readSetting())

/** Offers shortcuts as long as a component exists. */
export function useShortcuts(offered: readonly Shortcut[]): void {
  // A key runs the function of the last rendering, which knows the current state.
  const latest = useRef(offered)
  latest.current = offered
  const key = offered.map(({ keys, label }) => `${keys} ${label}`).join('\n')
  useEffect(() => {
    const own = offered.map((each, at) => ({ ...each, run: () => latest.current[at]?.run() }))
    shortcuts.value = [...shortcuts.value, ...own]
    return () => {
      shortcuts.value = shortcuts.value.filter((each) => !own.includes(each))
    }
  }, [key])
}

export function switchLetters(): void {
  areLettersOn.value = !areLettersOn.value
  try {
    localStorage.setItem(STORAGE_KEY, areLettersOn.value ? 'on' : 'off')
  } catch {
    // Storage may be off; the choice then lasts until the page is loaded again.
  }
}

let pending = { keys: '', at: 0 }

/** Runs the shortcut of a key; the newest one wins, so that a dialog is before its page. */
export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return
  const isCommand = event.ctrlKey || event.metaKey
  if (!isCommand && isForElement(event)) return
  const last = performance.now() - pending.at < SEQUENCE_MS ? pending.keys : ''
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  // `g r` is a page, although `r` alone may be an action of this one.
  const found = findShortcut(`${last} ${key}`, isCommand) ?? findShortcut(key, isCommand)
  pending = { keys: found || isCommand ? '' : key, at: performance.now() }
  if (!found) return
  event.preventDefault()
  found.run()
}

function findShortcut(keys: string, isCommand: boolean): Shortcut | undefined {
  return shortcuts.value.findLast(
    (each) => (each.isCommand ?? false) === isCommand && each.keys === keys.trim(),
  )
}

/** True if a key without Ctrl is no shortcut now, because it is text or belongs to the element with the focus. */
function isForElement({ key, target }: KeyboardEvent): boolean {
  return !areLettersOn.value || isTyping(target) || (key === 'Enter' && isActivated(target))
}

/** Enter belongs to the link or button that has the focus. */
function isActivated(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('a[href], button, summary, [role="option"]') !== null
  )
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (document.querySelector('dialog[open]') !== null) return true
  const isField = /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
  return isField || target.isContentEditable
}

function readSetting(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== 'off'
  } catch {
    return true
  }
}
