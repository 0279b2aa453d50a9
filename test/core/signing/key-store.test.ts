import { createPrivateKey } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openKeyStore } from '../../../src/core/signing/keys/key-store.ts'
import { createFolder } from '../../helpers/skills.ts'

const never = async () => await Promise.reject(new Error('asked for a passphrase'))

describe('a key store', () => {
  it('creates a key that only the user can read, and opens it', async () => {
    const folder = join(createFolder(), 'keys')
    const store = openKeyStore(folder)
    const key = await store.create('release')
    expect(key).toMatchObject({ name: 'release', isEncrypted: false })
    expect(key.id).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(statSync(key.file).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder)).toEqual(['release.pem'])
    expect((await store.open('release', never)).id).toBe(key.id)
    expect(store.list().map(({ name }) => name)).toEqual(['release'])
    store.remove('release')
    expect(store.list()).toEqual([])
  })

  it('never replaces a key', async () => {
    const store = openKeyStore(createFolder())
    const { id } = await store.create('release')
    await expect(store.create('release')).rejects.toThrow(/There is a key "release" already/)
    expect(store.get('release').id).toBe(id)
  })

  it('encrypts a key with a passphrase, without which it does not open', async () => {
    const store = openKeyStore(createFolder())
    const { file, id } = await store.create('release', 'correct horse')
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('BEGIN ENCRYPTED PRIVATE KEY')
    expect(() => createPrivateKey(text)).toThrow()
    expect(store.list()[0]).toMatchObject({ id, isEncrypted: true })
    await expect(store.open('release', async () => 'wrong')).rejects.toThrow(/is wrong/)
    expect((await store.open('release', async () => 'correct horse')).id).toBe(id)
  })

  it('refuses a private key that others can read', async () => {
    const folder = join(createFolder(), 'keys')
    const store = openKeyStore(folder)
    const { file } = await store.create('release')
    for (const mode of [0o640, 0o604, 0o660]) {
      chmodSync(file, mode)
      await expect(store.open('release', never)).rejects.toThrow(/Others can read/)
    }
    chmodSync(file, 0o600)
    chmodSync(folder, 0o777)
    await expect(store.open('release', never)).rejects.toThrow(/Others can change/)
    chmodSync(folder, 0o700)
    await expect(store.open('release', never)).resolves.toBeDefined()
  })

  it('refuses a link in place of a key', async () => {
    const folder = createFolder()
    const store = openKeyStore(folder)
    const { file } = await store.create('release')
    symlinkSync(file, join(folder, 'other.pem'))
    expect(() => store.get('other')).toThrow(/ELOOP/)
  })

  it('refuses a file whose public key is another one', async () => {
    const store = openKeyStore(createFolder())
    const [mine, other] = [await store.create('mine'), await store.create('other')]
    const [secret = ''] = readFileSync(mine.file, 'utf8').split('-----BEGIN PUBLIC')
    const [, open = ''] = readFileSync(other.file, 'utf8').split('-----BEGIN PUBLIC')
    writeFileSync(mine.file, `${secret}-----BEGIN PUBLIC${open}`)
    await expect(store.open('mine', never)).rejects.toThrow(/is damaged/)
  })

  it.each(['../x', 'a/b', '', '.hidden', 'A', 'x'.repeat(65)])('refuses the name %j', (name) => {
    expect(() => openKeyStore('/nonexistent').get(name)).toThrow(/is not a name for a key/)
  })
})
