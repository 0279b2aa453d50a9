import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ConnectionError } from '../../../src/client/index.ts'
import { RepeatedCall, type CallChange } from '../../../src/console/app/repeated-call.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A call that the test answers itself. */
function openCall() {
  const answers: { resolve: (value: number) => void; reject: (error: Error) => void }[] = []
  const changes: CallChange<number>[] = []
  const call = async () =>
    await new Promise<number>((resolve, reject) => answers.push({ resolve, reject }))
  const repeated = new RepeatedCall(call, (change) => void changes.push(change))
  return { repeated, answers, changes }
}

it('requests during a call are one more call after its end, and never two at once', async () => {
  const { repeated, answers, changes } = openCall()
  repeated.request()
  for (let count = 0; count < 100; count += 1) repeated.request()
  expect(answers).toHaveLength(1)
  answers[0]?.resolve(1)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(answers).toHaveLength(2)
  answers[1]?.resolve(2)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(answers).toHaveLength(2)
  expect(changes.flatMap(({ data }) => (data === undefined ? [] : [data]))).toEqual([1, 2])
})

it('a request in the pause after a call waits for its end', async () => {
  const { repeated, answers } = openCall()
  repeated.request()
  answers[0]?.resolve(1)
  await vi.advanceTimersByTimeAsync(200)
  repeated.request()
  await vi.advanceTimersByTimeAsync(200)
  expect(answers).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(200)
  expect(answers).toHaveLength(2)
})

it('a slow answer has a pause as long as itself', async () => {
  const { repeated, answers } = openCall()
  repeated.request()
  repeated.request()
  await vi.advanceTimersByTimeAsync(5000)
  answers[0]?.resolve(1)
  await vi.advanceTimersByTimeAsync(4900)
  expect(answers).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(200)
  expect(answers).toHaveLength(2)
})

it('a server that is gone is asked again with growing pauses, any other error is final', async () => {
  const { repeated, answers, changes } = openCall()
  repeated.request()
  const gone = new ConnectionError('gone', { problem: 'unreachable' } as never)
  for (const [at, pauseMs] of [1000, 2000, 4000].entries()) {
    answers[at]?.reject(gone)
    await vi.advanceTimersByTimeAsync(pauseMs - 10)
    expect(answers).toHaveLength(at + 1)
    await vi.advanceTimersByTimeAsync(20)
    expect(answers).toHaveLength(at + 2)
  }
  answers[3]?.reject(new Error('refused'))
  await vi.advanceTimersByTimeAsync(100_000)
  expect(answers).toHaveLength(4)
  expect(changes.at(-1)).toMatchObject({ error: { message: 'refused' }, isLoading: false })
})

it('nothing is reported or asked after the stop', async () => {
  const { repeated, answers, changes } = openCall()
  repeated.request()
  repeated.request()
  const before = changes.length
  repeated.stop()
  answers[0]?.resolve(1)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(answers).toHaveLength(1)
  expect(changes).toHaveLength(before)
})
