import type { ForwardedSessionRequest, ServedNode } from '../../server/served-node.ts'
import { ForwardedRequests } from './forwarded-requests.ts'
import { ForwardingClient, type ForwardingServices } from './forwarding-client.ts'

/** Begins the id of a session that a front of a fleet began. */
const FRONT_OF_SESSION = /^([a-z0-9-]{1,32})\./

/** Lets clients of older revisions of MCP send the requests of a session to any front. */
export class SessionForwarding implements Pick<ServedNode, 'forward' | 'receive' | 'finish'> {
  #services: ForwardingServices
  #forwarder: ForwardingClient
  #received: ForwardedRequests | undefined

  constructor(services: ForwardingServices) {
    this.#services = services
    this.#forwarder = new ForwardingClient(services)
  }

  async forward(request: ForwardedSessionRequest): Promise<Response | undefined> {
    const session = request.request.headers.get('mcp-session-id') ?? ''
    const home = FRONT_OF_SESSION.exec(session)?.[1]
    if (home === undefined || home === this.#services.identity.name) return undefined
    return await this.#forwarder.forward(home, request)
  }

  receive(serve: (request: ForwardedSessionRequest) => Promise<Response>): void {
    this.#received = new ForwardedRequests(this.#services, serve)
  }

  async finish(timeoutMs: number): Promise<void> {
    await this.#received?.finish(timeoutMs)
  }

  stop(): void {
    this.#forwarder.stop()
    this.#received?.stop()
  }
}
