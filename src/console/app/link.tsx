import type { ComponentChildren } from 'preact'
import { BASE, openPath } from './location.ts'

interface LinkProps {
  /** Path below `/console`. */
  to: string
  children: ComponentChildren
  class?: string
  current?: boolean
  label?: string
}

/** A link of the console. A click with a modifier opens a tab, as links do. */
export function Link({ to, children, class: className, current, label }: LinkProps) {
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return
    event.preventDefault()
    openPath(to)
  }
  return (
    <a
      href={BASE + to}
      class={className}
      onClick={open}
      aria-current={current ? 'page' : undefined}
      aria-label={label}
    >
      {children}
    </a>
  )
}
