import { changeSearch } from '../app/location.ts'
import { VENDORS, type Vendor } from '../models/vendors.ts'

/** A choice of the vendor, which is part of the address. */
export function VendorChoice({ vendor }: { vendor: Vendor }) {
  return (
    <>
      <label for="vendor">Vendor</label>{' '}
      <select
        id="vendor"
        value={vendor}
        onChange={(event) => changeSearch({ vendor: event.currentTarget.value })}
      >
        {Object.entries(VENDORS).map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </>
  )
}
