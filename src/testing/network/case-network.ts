import { relative } from 'node:path'
import type { RunGrants } from '../../core/runs/run-call.ts'
import type { RunInstruments } from '../../core/runs/job.ts'
import { createRedactor } from '../../core/runs/redaction/redact.ts'
import { Placeholders } from '../../core/testing/cassettes/placeholders.ts'
import type { Services } from '../../core/services.ts'
import type { ExpectationFailure } from '../../core/testing/expectations/expectation.ts'
import type { TestCase } from '../../core/testing/suites/suite.ts'
import type { CaseCassette } from '../../core/testing/cassettes/find-cassette.ts'
import type { DeferWrite } from '../running/deferred-writes.ts'
import type { NetworkFailure } from './network-failure.ts'
import { Recorder } from './recorder.ts'
import { Replayer } from './replayer.ts'

const DAY_MS = 86_400_000

/** The network of one case. */
export interface CaseNetwork {
  grants: RunGrants
  instruments: RunInstruments
  /** Checks, or saves, the requests after the run. */
  finish(): ExpectationFailure[]
}

interface CaseNetworkOptions {
  services: Pick<Services, 'redactionPatterns'>
  testCase: TestCase
  caseCassette: CaseCassette
  cwd: string
  defer: DeferWrite
  /** Reads the operator's secrets for a recording; undefined for a replay. */
  readSecrets: ((names: readonly string[]) => Promise<ReadonlyMap<string, string>>) | undefined
}

/** Opens the network of a case with a cassette: a replay, or a recording. */
export async function openCaseNetwork(options: CaseNetworkOptions): Promise<CaseNetwork> {
  const { services, testCase, caseCassette, cwd, defer, readSecrets } = options
  const real = await readSecrets?.([...testCase.secrets.keys()])
  const secrets = new Map([...testCase.secrets, ...(real ?? [])])
  const placeholders = new Placeholders(secrets)
  const patterns = await services.redactionPatterns()
  const mask = createRedactor([], patterns)
  const hide = (text: string) => mask.text(placeholders.hide(text))
  const { file, cassette } = caseCassette
  const answerer =
    readSecrets || !cassette
      ? new Recorder({
          cassette: { ...describeNewCassette(caseCassette), file },
          cwd,
          defer,
          hide,
          patterns,
          secrets: new Map(
            [...secrets].map(([name, value]) => [name, [value, testCase.secrets.get(name) ?? '']]),
          ),
        })
      : new Replayer({ cassette, cwd, placeholders, hide })
  const expired = readSecrets ? [] : describeExpiry(caseCassette, cwd)
  return {
    grants: { allowNetwork: true, secrets },
    instruments: { answerer },
    finish: () =>
      [...expired, ...answerer.finish()].map(({ message, difference }) => ({
        expectation: 'cassette',
        position: testCase.position,
        message,
        difference,
      })),
  }
}

/** Keeps the settings of the earlier cassette, and the time until it expires. */
function describeNewCassette({ cassette }: CaseCassette) {
  const now = Date.now()
  const { recorded, expires, comparedHeaders = [], isOrdered = false } = cassette ?? {}
  const days =
    recorded === undefined || expires === undefined
      ? undefined
      : Date.parse(expires) - Date.parse(recorded)
  return {
    comparedHeaders,
    isOrdered,
    recorded: formatDay(now),
    expires: days === undefined ? expires : formatDay(now + Math.max(days, DAY_MS)),
  }
}

function describeExpiry({ file, cassette }: CaseCassette, cwd: string): NetworkFailure[] {
  const expires = cassette?.expires
  if (expires === undefined || formatDay(Date.now()) < expires) return []
  const message = `The cassette ${relative(cwd, file)} expired on ${expires}: type "skills test --record" to record it again`
  return [{ message }]
}

function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
