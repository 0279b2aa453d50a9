import type { FileHandle } from 'node:fs/promises'
import type { ObjectRef, ObjectWriter } from '../objects/objects.ts'

/** An object in the place of a file that is only appended to. */
export class ObjectFile {
  #writer: ObjectWriter
  #ref: ObjectRef | undefined

  constructor(writer: ObjectWriter) {
    this.#writer = writer
  }

  /** The object; undefined unless it is complete. */
  get ref(): ObjectRef | undefined {
    return this.#ref
  }

  /** The methods that `MemberWriter` calls: it writes the rest of a buffer, syncs once, and closes. */
  toHandle(): FileHandle {
    const handle = {
      write: async (bytes: Buffer, offset = 0) => {
        await this.#writer.write(bytes.subarray(offset))
        return { bytesWritten: bytes.length - offset, buffer: bytes }
      },
      sync: async () => {
        this.#ref = await this.#writer.close()
      },
      close: async () => {
        if (!this.#ref) await this.#writer.abort()
      },
    }
    return handle as unknown as FileHandle
  }

  /** Removes the object, complete or not. */
  async remove(): Promise<void> {
    this.#ref = undefined
    await this.#writer.abort()
  }
}
