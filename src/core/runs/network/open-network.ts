import { readFileSync } from 'node:fs'
import type { Limits } from '../../sandbox/backend.ts'
import type { NetworkDecision } from '../../sandbox/egress/decision.ts'
import type { AnsweredNetwork } from '../../sandbox/egress/answers/answered-network.ts'
import type { MaskedNetwork } from '../../sandbox/egress/masking/masked-network.ts'
import type { MaskedSecret } from '../../sandbox/egress/masking/masked-secret.ts'
import type { RequestAnswerer } from '../../sandbox/egress/answers/request-answerer.ts'
import { CA_BUNDLE_PATH, JAVA_TRUST_PATH, type SandboxNetwork } from '../../sandbox/network.ts'
import type { ActiveRun } from '../active-run.ts'
import { listSecretValues } from './masked-secrets.ts'
import { createRedactor } from '../redaction/redact.ts'

/** Attempts that the run record lists one by one. */
const MAX_RECORDED = 1000
/** Distinct attempts that the logs list. */
const MAX_LOGGED = 100

/** Parts of a run that its network depends on. */
interface NetworkedRun {
  permissions: Pick<ActiveRun['permissions'], 'network' | 'secrets' | 'masked'> & {
    limits: Pick<Limits, 'networkBytes'>
  }
  call: Pick<ActiveRun['call'], 'env' | 'onEvent'>
  answerer?: RequestAnswerer | undefined
  trace: ActiveRun['trace']
}

/** The network of a run. */
interface OpenNetwork {
  /** Destinations and listeners for the backend. */
  sandbox: SandboxNetwork
  /** Variables that point programs to the proxy and the certificates. */
  environment: Readonly<Record<string, string>>
  /** Aborted when the run exceeds its bytes. */
  exceeded: AbortSignal
}

/** Opens the network for the allowed destinations. Every attempt is recorded. */
export async function openNetwork(
  run: NetworkedRun,
  note: (text: string) => void,
): Promise<OpenNetwork | undefined> {
  const { network, limits } = run.permissions
  if (!network) return undefined
  const { Egress } = await import('../../sandbox/egress/egress.ts')
  const { findCertificates } = await import('../../sandbox/egress/certificates.ts')
  const exceeded = new AbortController()
  const certificates = findCertificates(run.call.env)
  const masking = await openMasking(run.permissions.masked, certificates)
  const answers = await openAnswers(run.answerer, certificates, masking)
  const egress = new Egress({
    ...network,
    answers,
    masking,
    limit: { maxBytes: limits.networkBytes, onExceeded: () => exceeded.abort() },
    onDecision: createNetworkAuditor(run, note),
  })
  const hasAuthority = (answers ?? masking) !== undefined
  run.trace.countNetworkBytes = () => egress.bytes
  const sandbox: SandboxNetwork = {
    listeners: egress.listeners,
    addresses: egress.addresses,
    certificates,
    authority: answers?.authority ?? masking?.authority,
    serve: (listener, socket) => egress.serve(listener, socket),
    reportUnbound: (destination) =>
      note(`Network: reachable only through the proxy (${destination})`),
    close: () => egress.close(),
  }
  return {
    sandbox,
    environment: {
      ...buildProxyEnvironment(egress.proxy, hasAuthority || certificates !== undefined),
      // Node has certificates of its own, which the other variables do not change.
      ...(hasAuthority && {
        NODE_EXTRA_CA_CERTS: CA_BUNDLE_PATH,
        // A JVM reads no bundle. It says on its standard error that it has picked this up.
        JAVA_TOOL_OPTIONS: `-Djavax.net.ssl.trustStore=${JAVA_TRUST_PATH}`,
      }),
    },
    exceeded: exceeded.signal,
  }
}

async function openAnswers(
  answerer: RequestAnswerer | undefined,
  bundle: string | undefined,
  masking: MaskedNetwork | undefined,
): Promise<AnsweredNetwork | undefined> {
  if (!answerer) return undefined
  const { createAnsweredNetwork } = await import('../../sandbox/egress/answers/answered-network.ts')
  const answering = masking ? masking.maskAnswerer(answerer) : answerer
  return createAnsweredNetwork(answering, readBundle(bundle))
}

async function openMasking(
  secrets: readonly MaskedSecret[],
  bundle: string | undefined,
): Promise<MaskedNetwork | undefined> {
  if (secrets.length === 0) return undefined
  const { createMaskedNetwork } = await import('../../sandbox/egress/masking/masked-network.ts')
  return createMaskedNetwork(secrets, readBundle(bundle))
}

function readBundle(path: string | undefined): string | undefined {
  return path === undefined ? undefined : readFileSync(path, 'utf8')
}

/** Creates a listener that redacts network decisions, records them and emits events. */
function createNetworkAuditor(
  { permissions, call, trace }: NetworkedRun,
  note: (text: string) => void,
): (decision: NetworkDecision) => void {
  const values = listSecretValues(permissions)
  // The filter converts hosts to lower case.
  const redactor = createRedactor([...values, ...values.map((value) => value.toLowerCase())])
  const recorded: NetworkDecision[] = []
  trace.network = recorded
  const noted = new Set<string>()
  return (observed) => {
    const host = observed.host === null ? null : redactor.text(observed.host)
    const decision = { ...observed, host, message: redactor.text(observed.message) }
    if (recorded.length < MAX_RECORDED) recorded.push(decision)
    call.onEvent?.({ type: 'network', decision })
    const key = [decision.allowed, decision.via, decision.message].join(' ')
    if (noted.has(key) || noted.size > MAX_LOGGED) return
    noted.add(key)
    if (noted.size > MAX_LOGGED) note('Network: further attempts are not logged')
    else {
      const verb = decision.allowed ? 'allowed' : 'refused'
      note(`Network ${verb} (${decision.reason}): ${decision.message}`)
    }
  }
}

function buildProxyEnvironment(proxy: string, hasCertificates: boolean): Record<string, string> {
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: '',
    no_proxy: '',
    ...(hasCertificates && {
      SSL_CERT_FILE: CA_BUNDLE_PATH,
      REQUESTS_CA_BUNDLE: CA_BUNDLE_PATH,
      CURL_CA_BUNDLE: CA_BUNDLE_PATH,
      GIT_SSL_CAINFO: CA_BUNDLE_PATH,
    }),
  }
}
