import type {
  CheckPolicyParams,
  CheckPolicyResult,
} from '../../../core/methods/check-policy/definition.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { JsonView } from '../../components/json-view.tsx'
import { Status } from '../../components/status.tsx'
import { formatPolicyCommand } from '../../models/policy-request.ts'
import { formatBytes, formatDuration } from '../../models/quantities.ts'

type DecidedLayer = CheckPolicyResult['layers'][number]

/** The decision, and each layer with its sentence. */
export function DecisionView({
  decision,
  params,
}: {
  decision: CheckPolicyResult
  params: CheckPolicyParams
}) {
  const { layers, rules, limits, require: required, request, audit_hash: hash } = decision
  const firstDenied = layers.findIndex(({ verdict }) => verdict === 'deny')
  return (
    <div class="decision">
      <p class="verdict" role="status">
        <DecisionStatus decision={decision} />
      </p>
      <ol class="ladder">
        {layers.map((layer, at) => (
          <LayerItem
            key={layer.layer}
            layer={layer}
            isAfterDenial={firstDenied !== -1 && at > firstDenied}
          />
        ))}
      </ol>
      <ul class="facts">
        <li>{rules.length === 0 ? 'No rule matches' : `Rules: ${rules.join(', ')}`}</li>
        <li>Ends after {formatDuration(limits.timeout_ms)}</li>
        <li>Output up to {formatBytes(limits.output_bytes)}</li>
        {required.aslr && <li>Address-space layout of its own</li>}
        <li>
          auditHash <code title={hash}>{hash.slice(0, 16)}…</code>
        </li>
      </ul>
      <p>
        <CopyButton label="Copy link" text={() => location.href} />
        <CopyButton
          label="Copy command"
          text={() => formatPolicyCommand(params, location.origin)}
        />
      </p>
      <details>
        <summary>The request as the layers see it</summary>
        <JsonView value={request} />
      </details>
    </div>
  )
}

function DecisionStatus({ decision }: { decision: CheckPolicyResult }) {
  const { allowed, needs_approval: isAsked, code, layer } = decision
  if (!allowed) return <Status value="failed" text={`denied by the layer "${layer}": ${code}`} />
  return isAsked ? (
    <Status value="ask" text="needs approval" />
  ) : (
    <Status value="allowed" text="allowed" />
  )
}

const VERDICT_TEXTS = { pass: 'passes', deny: 'denies', ask: 'asks for approval' } as const

/** Layers after a denial are not reached in a run; their sentences help to correct all at once. */
function LayerItem({ layer, isAfterDenial }: { layer: DecidedLayer; isAfterDenial: boolean }) {
  const { layer: name, verdict, sentence, denials } = layer
  return (
    <li class={isAfterDenial && verdict === 'pass' ? 'not-reached' : undefined}>
      <span class="layer-name">{name}</span>
      <Status value={verdict === 'deny' ? 'failed' : verdict} text={VERDICT_TEXTS[verdict]} />
      {denials.length === 0 ? (
        <span class="sentence">{sentence}</span>
      ) : (
        <ul>
          {denials.map((denial) => (
            <li key={denial.code + denial.sentence}>
              {denial.sentence}{' '}
              <span class="muted">
                <code>{denial.code}</code>
                {denial.by !== undefined && ` by ${denial.by}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
