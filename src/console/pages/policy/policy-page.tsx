import { reloadChanges, runChanges } from '../../app/live-events.ts'
import type { PageProps } from '../../app/page-props.ts'
import { useMethod } from '../../app/use-method.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { readPolicyForm, toPolicyRequest } from '../../models/policy-request.ts'
import { DecisionView } from './decision-view.tsx'
import { PolicyInForce } from './policy-in-force.tsx'
import { RecentDecisions } from './recent-decisions.tsx'
import { RequestForm } from './request-form.tsx'

/** Decides requests without running them, and shows the policy in force. */
export function Page({ search }: PageProps) {
  const form = readPolicyForm(search)
  const isEmpty = Object.keys(form).length === 0
  const request = toPolicyRequest(form)
  const params = !isEmpty && 'params' in request ? request.params : undefined
  const decision = useMethod('check_policy', params, { changes: reloadChanges })
  const policy = useMethod('describe_policy', {}, { changes: reloadChanges })
  return (
    <section>
      <h1>Policy</h1>
      <div class="two-columns">
        <div>
          <h2>Try a request</h2>
          <RequestForm
            form={form}
            problem={'field' in request ? request : undefined}
            repositories={policy.data?.repositories.map(({ name }) => name) ?? []}
          />
        </div>
        <div>
          <h2>Decision</h2>
          {params === undefined ? (
            <EmptyState
              title="Nothing is run: each layer says what it would do."
              command={'skills policy check \'{"runtime": "python"}\''}
            />
          ) : (
            <Loading state={decision} label="the decision">
              {(decided) => <DecisionView decision={decided} params={params} />}
            </Loading>
          )}
        </div>
      </div>
      <h2>Last decisions</h2>
      <RecentDecisions changes={runChanges} />
      <h2>In force</h2>
      <Loading state={policy} label="the policy">
        {(described) => <PolicyInForce policy={described} />}
      </Loading>
    </section>
  )
}
