import type { PageProps } from '../../app/page-props.ts'
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
  const { id, Tab } = TABS.find((each) => each.id === search.get('tab')) ?? TABS[0]
  return (
    <section>
      <h1>Server</h1>
      <Tabs name="tab" label="Views of the server" tabs={TABS} chosen={id}>
        <Tab search={search} />
      </Tabs>
    </section>
  )
}
