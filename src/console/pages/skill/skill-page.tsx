import { toPrintable } from '../../../util/printable.ts'
import type { PageProps } from '../../app/page-props.ts'
import { useTitle } from '../../app/use-title.ts'
import { useMethod } from '../../app/use-method.ts'
import { Loading } from '../../components/loading.tsx'
import { Status } from '../../components/status.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { CodeTab } from './code-tab.tsx'
import { DocsTab } from './docs-tab.tsx'
import { FindingsTab } from './findings-tab.tsx'
import { RightsTab } from './rights-tab.tsx'
import { RunTab } from './run-tab.tsx'
import { RunsTab } from './runs-tab.tsx'
import type { InspectedSkill, SkillTab } from './skill-tab.ts'
import { TestsTab } from './tests-tab.tsx'
import { TokensTab } from './tokens-tab.tsx'
import { ToolsTab } from './tools-tab.tsx'

const TABS: readonly { id: string; title: string; Tab: SkillTab }[] = [
  { id: 'docs', title: 'Docs', Tab: DocsTab },
  { id: 'run', title: 'Run', Tab: RunTab },
  { id: 'code', title: 'Code and files', Tab: CodeTab },
  { id: 'rights', title: 'Rights', Tab: RightsTab },
  { id: 'findings', title: 'Findings', Tab: FindingsTab },
  { id: 'tokens', title: 'Tokens', Tab: TokensTab },
  { id: 'tools', title: 'Tools', Tab: ToolsTab },
  { id: 'tests', title: 'Tests', Tab: TestsTab },
  { id: 'runs', title: 'Runs', Tab: RunsTab },
]

export function Page({ params, search }: PageProps) {
  const [name = '', version] = (params['skill'] ?? '').split('@')
  const state = useMethod('inspect_skill', { name, ...(version !== undefined && { version }) })
  return (
    <Loading state={state} label={name}>
      {(skill) => (
        <SkillView key={`${skill.name}@${skill.version}`} skill={skill} search={search} />
      )}
    </Loading>
  )
}

function SkillView({ skill, search }: { skill: InspectedSkill; search: URLSearchParams }) {
  const chosen = TABS.find(({ id }) => id === search.get('tab')) ?? TABS[0]
  useTitle(`${skill.name} ${skill.version}`)
  if (!chosen) return null
  const { Tab } = chosen
  return (
    <section>
      <h1>
        {skill.name} <span class="muted">{skill.version}</span>
      </h1>
      <p>{toPrintable(skill.description)}</p>
      <SkillFacts skill={skill} />
      <Tabs name="tab" label="Views of the skill" tabs={TABS} chosen={chosen.id}>
        <Tab skill={skill} search={search} />
      </Tabs>
    </section>
  )
}

function SkillFacts({ skill }: { skill: InspectedSkill }) {
  return (
    <ul class="facts">
      <li>{skill.kind === 'action' ? `Code in ${skill.language}` : 'Instructions only'}</li>
      {skill.tags.length > 0 && (
        <li>{toPrintable(skill.tags.map((tag) => `#${tag}`).join(' '))}</li>
      )}
      {skill.digest !== null && (
        <li>
          <code title={skill.digest}>{skill.digest.slice(0, 19)}…</code>
        </li>
      )}
      {skill.versions.length > 1 && <li>{skill.versions.length} versions</li>}
      {skill.missing.map(({ sentence, fix }) => (
        <li key={sentence}>
          <Status value="warning" text={`It cannot run here: ${sentence}.`} /> {fix}
        </li>
      ))}
    </ul>
  )
}
