import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { changeSearch } from '../app/location.ts'
import { useShortcuts } from '../app/shortcuts.ts'

interface TabDefinition {
  id: string
  title: string
  /** Shown after the title, such as a number of findings. */
  note?: string | undefined
}

interface TabsProps {
  /** Parameter of the address that has the chosen tab. */
  name: string
  label: string
  tabs: readonly TabDefinition[]
  chosen: string
  children: ComponentChildren
}

/** Tabs whose choice is part of the address. Arrow keys move between them, as do `[` and `]`. */
export function Tabs({ name, label, tabs, chosen, children }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  const first = tabs[0]?.id
  const choose = (id: string) => changeSearch({ [name]: id === first ? undefined : id })
  const at = tabs.findIndex(({ id }) => id === chosen)
  const step = (by: number) => {
    const tab = tabs[(at + by + tabs.length) % tabs.length]
    if (tab) choose(tab.id)
  }
  useShortcuts([
    { keys: ']', label: 'Next tab', run: () => step(1) },
    { keys: '[', label: 'Previous tab', run: () => step(-1) },
  ])
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    const tab = next === undefined ? undefined : tabs[(next + tabs.length) % tabs.length]
    if (!tab) return
    event.preventDefault()
    choose(tab.id)
    list.current?.querySelector<HTMLElement>(`[data-tab="${tab.id}"]`)?.focus()
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title, note }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            data-tab={id}
            aria-selected={id === chosen}
            aria-controls="tab-panel"
            tabIndex={id === chosen ? 0 : -1}
            onClick={() => choose(id)}
          >
            {title}
            {note !== undefined && <span class="tab-note">{note}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${chosen}`} tabIndex={0}>
        {children}
      </div>
    </div>
  )
}
