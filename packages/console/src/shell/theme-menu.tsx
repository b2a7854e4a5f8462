import { Monitor, Moon, Sun } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { IconButton } from '../components/button.tsx';
import { itemClass, Menu, MenuContent, MenuTrigger } from '../components/menu.tsx';
import { setTheme, type Theme, useIsDark, useTheme } from '../theme.ts';

const themes = [
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', Icon: Moon },
  { value: 'system', label: 'As the system', Icon: Monitor },
] as const;

export function ThemeMenu() {
  const theme = useTheme();
  const isDark = useIsDark();
  return (
    <Menu modal={false}>
      <MenuTrigger asChild>
        <IconButton label="Theme">{isDark ? <Moon aria-hidden /> : <Sun aria-hidden />}</IconButton>
      </MenuTrigger>
      <MenuContent>
        <DropdownMenu.RadioGroup value={theme} onValueChange={(value) => setTheme(value as Theme)}>
          {themes.map(({ value, label, Icon }) => (
            <DropdownMenu.RadioItem key={value} value={value} className={itemClass}>
              <Icon aria-hidden />
              {label}
              {value === theme && <span className="ml-auto text-accent-text">✓</span>}
            </DropdownMenu.RadioItem>
          ))}
        </DropdownMenu.RadioGroup>
      </MenuContent>
    </Menu>
  );
}
