// A menu of what can be done with something: from a button, or where a list was asked for it.
import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import type { Icon } from './icons.ts';
import './menu.css';

export interface MenuItem {
  title: string;
  icon?: Icon;
  run: () => void;
}

/** A menu that opens from a button. */
export function MenuButton({ items, children }: { items: readonly MenuItem[]; children: ReactElement<Record<string, unknown>> }) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={children} />
      <Items items={items} />
    </BaseMenu.Root>
  );
}

/** Where a menu stands that no button opens: a point of the page, or an element's box. */
export interface MenuPlace {
  getBoundingClientRect: () => DOMRect;
}

/** A menu that is open at a place until something is chosen or it is left. Label says of what. */
export function MenuAt({ at, label, items, onClose }: { at: MenuPlace; label: string; items: readonly MenuItem[]; onClose: () => void }) {
  return (
    <BaseMenu.Root open onOpenChange={(open) => !open && onClose()} modal={false}>
      <Items items={items} at={at} label={label} />
    </BaseMenu.Root>
  );
}

function Items({ items, at, label }: { items: readonly MenuItem[]; at?: MenuPlace; label?: string }) {
  return (
    <BaseMenu.Portal>
      <BaseMenu.Positioner className="menu-layer" sideOffset={4} align="start" {...(at ? { anchor: at } : {})}>
        <BaseMenu.Popup className="menu" aria-label={label}>
          {items.map((item) => (
            <BaseMenu.Item key={item.title} className="menu-item" onClick={item.run}>
              {item.icon ? <item.icon size={14} aria-hidden /> : <span className="menu-gap" />}
              <span className="grow">{item.title}</span>
            </BaseMenu.Item>
          ))}
        </BaseMenu.Popup>
      </BaseMenu.Positioner>
    </BaseMenu.Portal>
  );
}
