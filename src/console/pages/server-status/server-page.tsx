import { changeSearch } from '../../app/location.ts'
import type { PageProps } from '../../app/page-props.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Tabs } from '../../components/tabs.tsx'
import { ConfigurationTab } from './configuration-tab.tsx'
import { LoadTab } from './load-tab.tsx'
import { MachineTab } from './machine-tab.tsx'

const TABS = [
  { id: 'load', title: 'Load', Tab: LoadTab },
  { id: 'machine', title: 'Machine', Tab: MachineTab },
  { id: 'configuration', title: 'Configuration', Tab: ConfigurationTab },
] as const

/** The server: its queue and metrics, the checks of its machine, and its configuration. */
export function Page({ search }: PageProps) {
  const at = Math.max(
    0,
    TABS.findIndex(({ id }) => id === search.get('tab')),
  )
  const { id, Tab } = TABS[at] ?? TABS[0]
  const choose = (step: number) => {
    const next = TABS[(at + step + TABS.length) % TABS.length]
    changeSearch({ tab: next === TABS[0] ? undefined : next?.id })
  }
  useShortcuts([
    { keys: ']', label: 'Next tab', run: () => choose(1) },
    { keys: '[', label: 'Previous tab', run: () => choose(-1) },
  ])
  return (
    <section>
      <h1>Server</h1>
      <Tabs name="tab" label="Views of the server" tabs={TABS} chosen={id}>
        <Tab search={search} />
      </Tabs>
    </section>
  )
}
