import { expect, it } from 'vitest'
import { isLoopbackHost } from '../../src/util/loopback-host.ts'

const readHost = (url: string) => new URL(url).hostname

it.each(['127.0.0.1', '127.1.2.3', 'localhost', '[::1]', '::1'])(
  '%s is a loopback host',
  (host) => {
    expect(isLoopbackHost(host)).toBe(true)
  },
)

it.each([
  '127.evil.example',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'evil-localhost',
  '127.0.0.1.',
  '127.0.0',
  '127.0.0.256',
  '127.0.0.1:80',
  '128.0.0.1',
  '0.0.0.0',
  '10.0.0.1',
  '169.254.169.254',
  '[::]',
  '[::ffff:a9fe:a9fe]',
  '',
])('%j is not a loopback host', (host) => {
  expect(isLoopbackHost(host)).toBe(false)
})

it('other notations of an address count as the address, and a user name does not count', () => {
  for (const url of ['http://2130706433/', 'http://0x7f.1/', 'http://LOCALHOST/', 'http://[0::1]/'])
    expect(isLoopbackHost(readHost(url)), url).toBe(true)
  for (const url of ['http://127.0.0.1@evil.example/', 'http://localhost:80@evil.example/'])
    expect(isLoopbackHost(readHost(url)), url).toBe(false)
})
