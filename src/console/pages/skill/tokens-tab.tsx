import { useMethod } from '../../app/use-method.ts'
import { BarTable } from '../../components/bar-table.tsx'
import { Loading } from '../../components/loading.tsx'
import { nameSkill, type SkillTabProps } from './skill-tab.ts'

/** Tokens of each layer, and what loading on demand saves. */
export function TokensTab({ skill }: SkillTabProps) {
  const state = useMethod('count_skill_tokens', nameSkill(skill))
  return (
    <Loading state={state} label="tokens">
      {({ encoding, overview, body, docs, total, documents, skipped }) => (
        <>
          <BarTable
            label="Tokens by layer"
            unit="tokens"
            rows={[
              { name: 'Line in the overview, in every request', value: overview },
              { name: 'Body, once the skill is loaded', value: body },
              { name: 'Documents, each once it is selected', value: docs },
              ...documents.map(({ path, tokens }) => ({ name: path, value: tokens })),
            ]}
          />
          <p>
            Every request costs {overview} tokens; with everything in the prompt it would be {total}
            {total > 0 &&
              `, so loading on demand saves ${Math.round((1 - overview / total) * 100)} %`}
            .
          </p>
          {skipped.map(({ path, reason }) => (
            <p key={path} class="muted">
              {path} is not counted: {reason}
            </p>
          ))}
          <p class="muted">
            Counted with {encoding}, an approximation for models of other vendors.
          </p>
        </>
      )}
    </Loading>
  )
}
