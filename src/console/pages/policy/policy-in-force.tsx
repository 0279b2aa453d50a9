import type { ComponentChildren } from 'preact'
import type { DescribePolicyResult } from '../../../core/methods/describe-policy/definition.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { JsonView } from '../../components/json-view.tsx'
import { formatBytes, formatDuration } from '../../models/quantities.ts'

/** Files, rules, settings and repositories that decide, each with its place. */
export function PolicyInForce({ policy }: { policy: DescribePolicyResult }) {
  const { files, looked_for: wanted, settings, scopes, programs, approval, repositories } = policy
  return (
    <>
      <h3>Files</h3>
      {files.length === 0 ? (
        <EmptyState
          title={`No policy at ${wanted.operator ?? 'any place'}: the policy denies nothing.`}
          command="skills schema policy"
        />
      ) : (
        <ul>
          {files.map(({ path, trust, digest }) => (
            <li key={path}>
              <code>{path}</code>{' '}
              <span class="muted">
                {trust === 'operator' ? 'the policy' : "the project's, which can only restrict"},{' '}
                {digest.slice(0, 19)}…
              </span>
            </li>
          ))}
        </ul>
      )}
      {scopes.length > 0 && <h3>Rules</h3>}
      {scopes.map((scope) => (
        <ScopeView key={scope.place + scope.name} scope={scope} />
      ))}
      {programs.length > 0 && (
        <PlaceTable
          caption="Network of programs"
          rows={programs.map(({ name, network, place }) => [name, network.join(', '), place])}
        />
      )}
      {approval !== null && (
        <>
          <h3>Approval</h3>
          <JsonView value={approval} />
        </>
      )}
      {repositories.length > 0 && (
        <PlaceTable
          caption="Repositories"
          rows={repositories.map(({ name, path, mode, problem, place }) => [
            name,
            problem === null ? `${path} (${mode})` : `${path} (${mode}): ${problem}`,
            place,
          ])}
        />
      )}
      <PlaceTable
        caption="Settings of the configuration"
        rows={settings.map(({ key, shown, place }) => [key, shown, place])}
      />
    </>
  )
}

function ScopeView({ scope }: { scope: DescribePolicyResult['scopes'][number] }) {
  const { name, is_rule: isRule, parts, place } = scope
  return (
    <PlaceTable
      caption={
        <>
          {isRule ? `Rule "${name}"` : 'For every request'} <span class="muted">{place}</span>
        </>
      }
      rows={parts.map((part) => [
        part.setting === null ? part.part : `${part.part} ${part.setting}`,
        formatPart(part.setting, part.value),
        part.place,
      ])}
    />
  )
}

function formatPart(setting: string | null, value: unknown): string {
  if (setting === 'aslr') return value === true ? 'required' : 'not required'
  if (value === true) return 'approval is required'
  if (typeof value === 'string') return value
  if (typeof value === 'number') {
    return setting === 'output' ? formatBytes(value) : formatDuration(value)
  }
  return Array.isArray(value) ? value.join(', ') || 'nothing' : JSON.stringify(value)
}

interface PlaceTableProps {
  caption: ComponentChildren
  rows: readonly (readonly [name: string, value: string, place: string])[]
}

/** A table of names, values and places in files. */
function PlaceTable({ caption, rows }: PlaceTableProps) {
  return (
    <table class="places">
      <caption>{caption}</caption>
      <tbody>
        {rows.map(([name, value, place]) => (
          <tr key={name + value + place}>
            <th scope="row">{name}</th>
            <td>{value}</td>
            <td class="muted">{place}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
