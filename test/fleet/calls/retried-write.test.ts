import { headers } from '@nats-io/transport-node'
import { JetStreamApiError } from '@nats-io/jetstream'
import { describe, expect, it } from 'vitest'
import { writeMessage, type WriteContext } from '../../../src/fleet/engine/write-message.ts'

const REQUEST = { subject: 'c.run_1.1', body: '{}', expected: 0, contents: 'calls' }
const WRONG_LAST_SEQUENCE = 10_071

/** An engine that stores the first write, loses its answer, and refuses the next one. */
function loseFirstAnswer(storedNonce?: string): WriteContext {
  let nonce: string | undefined
  return {
    client: { headers, JetStreamApiError },
    async store(request) {
      if (nonce !== undefined) {
        const description = 'wrong last sequence: 1'
        throw new JetStreamApiError({ code: 400, err_code: WRONG_LAST_SEQUENCE, description })
      }
      nonce = request.headers.get('Skills-Nonce')
      throw new Error('no answer')
    },
    readBack: async (subject) => {
      const stored = { subject, body: new Uint8Array(), seq: 1, storedAt: 0 }
      return { ...stored, nonce: storedNonce ?? nonce ?? '' }
    },
    waitForEngine: async () => {},
  }
}

describe('writeMessage()', () => {
  it('recognizes its own first try, whose answer was lost', async () => {
    await expect(writeMessage(loseFirstAnswer(), REQUEST)).resolves.toEqual({ seq: 1 })
  })

  it('returns what another writer stored before its second try', async () => {
    const result = await writeMessage(loseFirstAnswer('other'), REQUEST)
    expect(result).toMatchObject({ existing: { nonce: 'other' } })
  })
})
