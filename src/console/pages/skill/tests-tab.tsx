import { toPrintable } from '../../../util/printable.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Status } from '../../components/status.tsx'
import type { SkillTabProps } from './skill-tab.ts'

/** Test cases of the skill, and the command that runs them. */
export function TestsTab({ skill }: SkillTabProps) {
  const command = `skills test ${skill.name}`
  if (skill.tests.length === 0 && skill.examples.length === 0) {
    return (
      <EmptyState
        title="The skill has no tests: add tests/<topic>.test.toml, then run them."
        command={command}
      />
    )
  }
  return (
    <>
      <p>
        <code>{command}</code> <CopyButton text={command} /> runs them in the sandbox.
      </p>
      {skill.tests.map(({ file, cases, problems }) => (
        <section key={file}>
          <h2>{toPrintable(file)}</h2>
          {problems.map((problem) => (
            <p key={problem}>
              <Status value="error" text={toPrintable(problem)} />
            </p>
          ))}
          <ul>
            {cases.map(({ name, kind, tags }) => (
              <li key={name}>
                {toPrintable(name)}{' '}
                <span class="muted">
                  {toPrintable([kind, ...tags.map((tag) => `#${tag}`)].join(' '))}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {skill.examples.length > 0 && (
        <p>{skill.examples.length} examples of the manifest are cases, too.</p>
      )}
    </>
  )
}
