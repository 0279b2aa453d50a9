import { client } from '../api.ts'

/** Texts of the logs of a run, from their begin to its end. */
export async function* readLogTexts(runId: string, signal: AbortSignal): AsyncGenerator<string> {
  for await (const { logs, encoding } of client.value.runLogs(runId, { signal })) {
    yield encoding === undefined ? logs : '[bytes that are not text]\n'
  }
}
