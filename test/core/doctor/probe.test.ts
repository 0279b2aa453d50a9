import { describe, expect, it } from 'vitest'
import { trySandbox } from '../../../src/core/doctor/try-sandbox.ts'
import { createMachine } from '../../helpers/machine.ts'

async function probe(backend: 'namespaces' | 'bubblewrap' | 'process') {
  return (await trySandbox(await createMachine(), backend)).output as Record<string, boolean>
}

async function expectNoAccess(backend: 'namespaces' | 'bubblewrap') {
  const answers = await probe(backend)
  expect(Object.keys(answers).length).toBeGreaterThanOrEqual(8)
  expect(Object.entries(answers).filter(([, able]) => able)).toEqual([])
}

describe('the sandbox probe of the doctor', () => {
  it('is denied every access by namespaces', async () => {
    await expectNoAccess('namespaces')
  })

  it('is denied every access by bubblewrap', { tags: ['bubblewrap'] }, async () => {
    await expectNoAccess('bubblewrap')
  })

  // Only root gets through everywhere.
  it('has access without a sandbox', { tags: ['root'] }, async () => {
    const answers = await probe('process')
    expect(answers).toMatchObject({
      'reads /etc/shadow': true,
      'writes to /usr': true,
      'changes the system': true,
      'is root': true,
      'asks for keys': true,
      'writes more than its workspace holds': true,
      'makes namespaces': true,
    })
  })
})
