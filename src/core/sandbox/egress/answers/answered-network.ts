import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { NetworkDestination } from '../destination.ts'
import { AnsweringServer, type AnsweringParts } from './answering-server.ts'
import { CertificateAuthority } from './certificate-authority.ts'
import { forwardOverSocket } from './forward-request.ts'
import type { RequestAnswerer, AnswerableRequest, AnsweredResponse } from './request-answerer.ts'

/** A network whose requests this process answers, for the filter of a run. */
export interface AnsweredNetwork {
  mode: RequestAnswerer['mode']
  /** Certificate of the authority that the run trusts, as PEM. */
  authority: string
  /** Serves connections in place of their destinations. */
  createServer(parts: Pick<AnsweringParts, 'forward' | 'countBytes'>): {
    connect(destination: NetworkDestination): Duplex
  }
  /** Sends a request over a connection to its destination. */
  forward(request: AnswerableRequest, socket: Socket): Promise<AnsweredResponse>
}

/** `certificates`: PEM of the authorities that forwarded requests trust; those of Node if undefined. */
export function createAnsweredNetwork(
  answerer: RequestAnswerer,
  certificates: string | undefined,
): AnsweredNetwork {
  const authority = new CertificateAuthority()
  return {
    mode: answerer.mode,
    authority: authority.certificate,
    createServer: (parts) => new AnsweringServer({ ...parts, answerer, authority }),
    forward: async (request, socket) => await forwardOverSocket(request, socket, certificates),
  }
}
