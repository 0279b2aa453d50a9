import type { SkillTabProps } from './skill-tab.ts'

const HEADINGS: Readonly<Record<string, string>> = {
  host: 'Network',
  secret: 'Secrets',
  code: 'Code',
  dependencies: 'Packages',
  permission: 'Other permissions',
  tool: 'Tools of agents',
}

/** Rights of the skill, as sentences. */
export function RightsTab({ skill }: SkillTabProps) {
  const kinds = [...new Set(skill.rights.map(({ kind }) => kind))]
  return (
    <>
      <p>
        A run of this skill has these rights and no others. A policy and the server can take some
        away.
      </p>
      {kinds.map((kind) => (
        <section key={kind}>
          <h2>{HEADINGS[kind] ?? kind}</h2>
          <ul>
            {skill.rights
              .filter((each) => each.kind === kind)
              .map(({ sentence }) => (
                <li key={sentence}>It {sentence}.</li>
              ))}
          </ul>
        </section>
      ))}
      {!kinds.includes('host') && <p>It has no network.</p>}
      {!kinds.includes('secret') && <p>It reads no secrets.</p>}
    </>
  )
}
