import { createHmac } from 'node:crypto'
import { readStreamUpTo } from '../../../util/bytes/read-up-to.ts'
import { readTrusted } from '../../config/read-trusted.ts'
import {
  createFailedAnswer,
  MAX_ANSWER_BYTES,
  parseAnswer,
  type ApprovalAnswer,
} from './question.ts'

/** Input of a webhook. */
interface WebhookQuestion {
  url: string
  /** File with the secret that signs the request; undefined for unsigned requests. */
  secretFile: string | undefined
  question: string
  signal: AbortSignal
}

/** Posts a question. Only status 200 with a JSON answer counts; redirects are not followed. */
export async function askWebhook(request: WebhookQuestion): Promise<ApprovalAnswer> {
  const response = await postQuestion(request)
  if ('answer' in response) return response
  if (response.status !== 200) {
    await response.body?.cancel().catch(() => {})
    return createFailedAnswer(`It answered with status ${response.status}`)
  }
  try {
    const body = response.body && (await readStreamUpTo(response.body, MAX_ANSWER_BYTES))
    return (
      parseAnswer(body?.toString('utf8') ?? '') ??
      createFailedAnswer('Its response is not a valid answer')
    )
  } catch {
    return createFailedAnswer('Its response was incomplete')
  }
}

async function postQuestion(request: WebhookQuestion): Promise<Response | ApprovalAnswer> {
  const { url, secretFile, question: body, signal } = request
  const secret = secretFile === undefined ? undefined : readSecret(secretFile)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (secret !== undefined) headers['skills-signature'] = signBody(secret, body)
  try {
    return await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
  } catch (error) {
    const { cause, message } = error as Error
    return createFailedAnswer(
      `The request failed: ${(cause as Error | undefined)?.message ?? message}`,
    )
  }
}

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 of the time, a dot and the body. */
function signBody(secret: string, body: string): string {
  const time = Math.floor(Date.now() / 1000)
  const mac = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return `t=${time},v1=${mac}`
}

function readSecret(file: string): string {
  const secret = readTrusted(file, 'the secret of the approval hook')?.trim()
  if (!secret) throw new Error(`The secret file "${file}" is missing or empty`)
  return secret
}
