import { toPrintable, toPrintableLines } from '../../../util/printable.ts'
import type { LintSkillResult } from '../../../core/methods/lint-skill/definition.ts'
import { changeSearch } from '../../app/location.ts'
import { useMethod } from '../../app/use-method.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { Status } from '../../components/status.tsx'
import { nameSkill, type SkillTabProps } from './skill-tab.ts'

type LintFinding = LintSkillResult['findings'][number]

/** Findings of lint, with what the fix of each changes. */
export function FindingsTab({ skill }: SkillTabProps) {
  const state = useMethod('lint_skill', nameSkill(skill))
  return (
    <Loading state={state} label="findings">
      {({ findings, failures }) => (
        <>
          {findings.length === 0 && failures.length === 0 && (
            <EmptyState title="Lint finds nothing." />
          )}
          {failures.map(({ message }) => (
            <p key={message}>
              <Status value="warning" text={message} />
            </p>
          ))}
          <ul class="findings">
            {findings.map((finding, at) => (
              <FindingItem key={at} finding={finding} />
            ))}
          </ul>
        </>
      )}
    </Loading>
  )
}

function FindingItem({ finding }: { finding: LintFinding }) {
  const { severity, rule, message, help, file, start, fix, diff, related } = finding
  const line = start?.line
  return (
    <li>
      <Status value={severity} /> {toPrintable(message)} <code>{rule}</code>
      <div>
        <button
          type="button"
          class="quiet"
          onClick={() =>
            changeSearch({ tab: 'code', file, line: line === undefined ? undefined : String(line) })
          }
        >
          {toPrintable(file)}
          {line !== undefined && `:${line}`}
        </button>
      </div>
      {help !== null && <p class="muted">{toPrintableLines(help)}</p>}
      {related.map((each, at) => (
        <p key={at} class="muted">
          {toPrintable(each.file)}
          {each.start && `:${each.start.line}`} {toPrintable(each.message)}
        </p>
      ))}
      {fix !== null && (
        <details>
          <summary>
            Fixed by <code>skills lint {fix === 'safe' ? '--fix' : '--fix-unsafe'}</code>
          </summary>
          <DiffView diff={diff ?? ''} />
        </details>
      )}
    </li>
  )
}

const TONES: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'muted' }

/** A unified diff, with removed and added lines marked by their signs and colours. */
function DiffView({ diff }: { diff: string }) {
  return (
    <pre class="diff" tabIndex={0} aria-label="Changes">
      {diff.split('\n').map((line, at) => (
        <div key={at} class={TONES[line.slice(0, 1)]}>
          {toPrintableLines(line) || ' '}
        </div>
      ))}
    </pre>
  )
}
